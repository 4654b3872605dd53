import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { loadDesired } from "../src/desired/load.js";
import { kinds } from "../src/targets/registry.js";

const pages = [
  "README.md",
  "CONTRIBUTING.md",
  ...readdirSync("docs", { recursive: true, encoding: "utf8" }).map((file) => join("docs", file)),
].filter((file) => file.endsWith(".md"));

/** `file › title` as the tables of the specification name tests. */
const NAMED = /`(test\/[^`]+\.test\.ts)`(?: › ([^|\n]+?))?(?= *\||$)/gm;

describe("tables of the specifications", () => {
  const rows = pages
    .filter((page) => page.startsWith("docs/contributing/spec-"))
    .flatMap((page) => [...readFileSync(page, "utf8").matchAll(NAMED)].map((match) => [match[1] ?? "", match[2]] as const));

  it("name tests", () => {
    expect(rows.length).toBeGreaterThan(40);
  });

  it.each(rows)("%s › %s is there", (file, title) => {
    expect(existsSync(file), `${file} is missing`).toBe(true);
    if (title !== undefined) expect(readFileSync(file, "utf8")).toContain(title);
  });
});

describe("faults of a cloud in docs/contributing/conformance-openstack.md", () => {
  const page = readFileSync("docs/contributing/conformance-openstack.md", "utf8");
  const rows = /\| fault \| case \|\n\|---\|---\|\n([\s\S]*?)\n\n/.exec(page)?.[1]?.split("\n") ?? [];

  it("are the nine that a run can meet", () => {
    expect(rows).toHaveLength(9);
  });

  it.each(rows)("%s", (row) => {
    const files = row.split(/(?=`[a-z-]+\.test\.ts`)/).flatMap((part) => {
      const file = /^`([a-z-]+\.test\.ts)`/.exec(part)?.[1];
      return file === undefined ? [] : [[file, [...part.matchAll(/"([^"]+)"/g)].map(([, title = ""]) => title)] as const];
    });
    expect(files).not.toEqual([]);
    for (const [file, titles] of files) {
      const cases = readFileSync(`test/openstack/suite/${file}`, "utf8");
      expect(titles).not.toEqual([]);
      for (const title of titles) expect(cases, title).toMatch(new RegExp(`(?:it|onEachCloud)\\("[^"]*${title}`));
    }
  });
});

describe("links of the documentation", () => {
  it.each(pages)("%s have existing targets", (page) => {
    for (const [, link = ""] of readFileSync(page, "utf8").matchAll(/\]\(([^)#\s]+)(?:#[^)]*)?\)/g)) {
      if (/^[a-z]+:/.test(link)) continue;
      expect(existsSync(join(dirname(page), link)), `${page} links ${link}`).toBe(true);
    }
  });
});

describe("desired-state.md", () => {
  it("shows files that load", async () => {
    const [configuration = "", document = ""] = [...readFileSync("docs/desired-state.md", "utf8").matchAll(/```yaml\n([\s\S]*?)```/g)].map(
      (match) => match[1],
    );
    const folder = mkdtempSync(join(tmpdir(), "plumbline-docs-"));
    try {
      mkdirSync(join(folder, "edge"));
      mkdirSync(join(folder, "certs"));
      writeFileSync(join(folder, "certs/edge-ca.pem"), "");
      writeFileSync(join(folder, "plumbline.yaml"), configuration);
      writeFileSync(join(folder, "edge/policy.yaml"), document);
      const loaded = await loadDesired(join(folder, "plumbline.yaml"), {
        environment: {},
        kinds,
        today: "2026-01-01",
        resolveSecrets: false,
      });
      expect([...loaded.targets.keys()]).toEqual(["edge"]);
      expect(loaded.warnings).toEqual([]);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});
