import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { type Git, gitIn } from "../../../src/engine/checkout/git.js";
import { GitStore } from "../../../src/engine/ledger/git-store.js";
import { VersionConflict } from "../../../src/engine/ledger/store.js";
import { writeCommit } from "../../../src/engine/ledger/write-commit.js";
import { afterTest } from "../../after-test.js";

const TIME = Date.UTC(2026, 10, 27, 12, 0, 0);

function repository(format: "sha1" | "sha256", ...more: string[]) {
  const folder = mkdtempSync(join(tmpdir(), "write-commit-"));
  afterTest(() => rmSync(folder, { recursive: true }));
  execFileSync("git", ["init", "-q", `--object-format=${format}`, ...more, folder]);
  const git = (...words: string[]) => execFileSync("git", words, { cwd: folder, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });
  // A bare repository is only used if it is named.
  const run: Git = more.includes("--bare") ? (args, input) => gitIn(folder)([`--git-dir=${folder}`, ...args], input) : gitIn(folder);
  return { folder, git, run };
}

const one = (text: string, parents: readonly string[] = []) => ({
  name: "a.json",
  text,
  parents,
  message: "Words\n\nMore: words",
  time: TIME,
});

describe.each(["sha1", "sha256"] as const)("a commit of one file in a repository of %s", (format) => {
  it("has the given file, parent, message and time, and the author plumbline whatever the environment contains", async () => {
    const { folder, git, run } = repository(format);
    const first = await writeCommit(run, one("1\n"));
    const environment = { GIT_AUTHOR_NAME: "Eve", GIT_COMMITTER_DATE: "1000000000 +0000" };
    const second = await writeCommit(gitIn(folder, { environment }), one("2\n", [first]));
    git("update-ref", "refs/heads/made", second);
    expect(git("log", "--format=%H %P|%an %ae %ct|%B", "made").trim()).toBe(
      [second, first]
        .map((id, at) => `${id} ${at === 0 ? first : ""}|plumbline plumbline@localhost ${TIME / 1000}|Words\n\nMore: words\n`)
        .join("\n")
        .trim(),
    );
    expect(git("ls-tree", "-r", "made")).toMatch(/^100644 blob \S+\ta.json\n$/);
    expect(git("fsck", "--strict", "--no-dangling")).toBe("");
  });

  it("stores the complete file, also if git is configured to convert line ends", async () => {
    const { git, run } = repository(format);
    git("config", "core.autocrlf", "input");
    for (const text of ["", "a\r\nb\n", "é".repeat(200_000)]) {
      const id = await writeCommit(run, one(text));
      expect(git("cat-file", "blob", `${id}:a.json`)).toBe(text);
    }
  });

  it("is not written if its parent is missing", async () => {
    const { git, run } = repository(format);
    const missing = "1".repeat(format === "sha1" ? 40 : 64);
    await expect(writeCommit(run, one("2\n", [missing]))).rejects.toThrow();
    expect(git("count-objects").trim()).toBe("0 objects, 0 kilobytes");
  });

  it.each([false, true])(
    "is how ledgers are written, one on another, and of two that begin at once one (a remote: %s)",
    async (hasRemote) => {
      const bare = repository(format, "--bare");
      const stores = [1, 2].map(() => {
        const { git, run, folder } = hasRemote ? repository(format) : bare;
        if (hasRemote) git("remote", "add", "origin", bare.folder);
        return { store: new GitStore(run, hasRemote ? "origin" : undefined), folder };
      });
      const [a, b] = stores.map(({ store }) => store) as [GitStore, GitStore];
      const key = { owner: "us", target: "edge" };
      const version = await a.write(key, "1\n", undefined);
      expect(version).toHaveLength(format === "sha1" ? 40 : 64);
      await expect(b.write(key, "other\n", undefined)).rejects.toThrow(VersionConflict);
      expect(await b.read(key)).toEqual({ text: "1\n", version });
      const next = await b.write(key, "2\n", version);
      await expect(a.write(key, "3\n", version)).rejects.toThrow(VersionConflict);
      expect(await a.read(key)).toEqual({ text: "2\n", version: next });
      expect(bare.git("log", "--format=%H", "refs/plumbline/us/edge").trim().split("\n")).toEqual([next, version]);
      expect(bare.git("fsck", "--strict", "--no-dangling")).toBe("");
    },
  );
});
