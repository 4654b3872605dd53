import { execFileSync, spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";
import { describe, expect, it } from "vitest";

type Files = Readonly<Record<string, string>>;

const NAMES = ["package.json", "package-lock.json", "CHANGELOG.md"];
const { cut, notesOf, sectionsOf, compareVersions } = (await import(pathToFileURL("packaging/release.mjs").href)) as {
  cut: (files: Files, version: string, day: string) => Files;
  notesOf: (files: Files, tag: string) => string;
  sectionsOf: (changelog: string) => { readonly version?: string; readonly day?: string; readonly text: string }[];
  compareVersions: (a: string, b: string) => number;
};
const ours: Files = Object.fromEntries(NAMES.map((name) => [name, readFileSync(name, "utf8")]));

describe("this version", () => {
  const { version } = JSON.parse(ours["package.json"] ?? "") as { version: string };
  const sections = sectionsOf(ours["CHANGELOG.md"] ?? "");

  it("is the same in package, lock file and changelog, and in the tag of its release", () => {
    expect(notesOf(ours, `v${version}`)).toContain("\n- ");
    expect(() => notesOf(ours, "v999.0.0")).toThrow("versions do not agree");
  });

  it("equals the tag of this commit, if it has one", () => {
    const tags = execFileSync("git", ["tag", "--points-at", "HEAD", "--list", "v*.*.*"], { encoding: "utf8" }).split("\n");
    expect(tags.filter((tag) => tag !== "" && tag !== `v${version}`)).toEqual([]);
  });

  it("has an Unreleased section first, and older versions by version and date", () => {
    const [open, ...released] = sections;
    expect(open?.version).toBeUndefined();
    expect(released.length).toBeGreaterThan(0);
    const sorted = released.toSorted((a, b) => compareVersions(b.version ?? "", a.version ?? ""));
    expect(released.map((each) => each.version)).toEqual(sorted.map((each) => each.version));
    expect(released.map(({ day = "" }) => day)).toEqual(
      released
        .map(({ day = "" }) => day)
        .toSorted()
        .reverse(),
    );
  });
});

describe("a version", () => {
  const next: Files = {
    ...ours,
    "CHANGELOG.md": (ours["CHANGELOG.md"] ?? "").replace("\n## Unreleased\n", "\n## Unreleased\n\n- Something new.\n"),
  };

  it("is made from the unreleased entries, in every file that names it, and nothing else changes", () => {
    const made = cut(next, "7.8.9", "2031-02-03");
    expect(notesOf(made, "v7.8.9")).toMatch(/^- Something new\./);
    const [open, newest] = sectionsOf(made["CHANGELOG.md"] ?? "");
    expect([open?.text, newest]).toEqual(["", expect.objectContaining({ version: "7.8.9", day: "2031-02-03" })]);
    for (const name of NAMES) {
      const before = (next[name] ?? "").split("\n");
      const lines = (made[name] ?? "").split("\n").filter((line) => !before.includes(line));
      expect(
        lines.every((line) => line.includes("7.8.9")),
        name,
      ).toBe(true);
    }
  });

  it.each([
    ["0.0.1", "2031-02-03", "is released already"],
    ["v7.8.9", "2031-02-03", "is no version"],
    ["7.8", "2031-02-03", "is no version"],
    ["7.8.9", "tomorrow", "is no day"],
    ["7.8.9", "2031-13-40", "is no day"],
  ])("is refused: %s of %s", (version, day, why) => {
    expect(() => cut(next, version, day)).toThrow(why);
  });

  it("is refused without entries, or with an unreadable heading", () => {
    expect(() => cut(cut(next, "7.8.9", "2031-02-03"), "7.9.0", "2031-02-04")).toThrow("nothing stands");
    expect(() => sectionsOf("## 1.0 (January)\n")).toThrow("is neither");
  });

  it("has notes that the workflow publishes, and the workflow stops if versions differ", () => {
    const workflow = readFileSync(".github/workflows/release.yml", "utf8");
    expect(workflow).toContain('node packaging/release.mjs notes "$GITHUB_REF_NAME" > release/NOTES.md');
    expect(workflow).toContain("--notes-file release/NOTES.md");
    const { status, stderr } = spawnSync(process.execPath, ["packaging/release.mjs", "notes", "v999.0.0"], { encoding: "utf8" });
    expect([status, stderr]).toEqual([1, expect.stringContaining("versions do not agree")]);
  });
});
