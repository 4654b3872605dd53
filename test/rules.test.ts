import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { encodeRecord } from "../src/engine/ledger/codec.js";

/** Cells of the rows of the table below a heading. */
function table(page: string, heading: string): string[][] {
  const [, section = ""] = readFileSync(page, "utf8").split(`\n${heading}\n`);
  const [below = ""] = section.split(/^#{2,3} /m);
  const rows = below.split("\n").filter((line) => line.startsWith("| "));
  return rows.map((row) => row.split("|").map((cell) => cell.trim())).slice(1);
}

const named = (cell: string | undefined): string[] => [...(cell ?? "").matchAll(/`([^`]+)`/g)].map(([, name = ""]) => name);

function sources(folder: string): string[] {
  const files = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((file) => file.endsWith(".ts"));
  return files.map((file) => readFileSync(join(folder, file), "utf8"));
}

describe("docs/guards.md", () => {
  const rows = table("docs/guards.md", "## Guards");
  const code = [...sources("src/plan"), ...sources("src/guards"), ...sources("src/engine")].join("\n");
  const refusing = [...code.matchAll(/\bguard: "([a-z-]+)"/g), ...code.matchAll(/\bGUARD = "([a-z-]+)"/g)].map(([, name = ""]) => name);

  it("names every guard", () => {
    const page = readFileSync("docs/guards.md", "utf8");
    expect(refusing.length).toBeGreaterThan(15);
    expect([...new Set(refusing)].filter((guard) => !page.includes(`\`${guard}\``))).toEqual([]);
  });

  it("names no guard that is not there", () => {
    const guards = rows.flatMap(([, guard]) => named(guard));
    expect(guards.length).toBeGreaterThan(15);
    // A value that a reader does not trust is refused with the code of its error.
    const doubted = readFileSync("src/targets/panos/read/confirm-absence.ts", "utf8");
    expect(guards.filter((guard) => !(code + doubted).includes(`"${guard}"`))).toEqual([]);
  });

  it("names findings that refuse", () => {
    const findings = rows.filter(([, guard]) => guard?.startsWith("a finding")).flatMap(([, , kinds]) => named(kinds));
    expect(findings.length).toBeGreaterThan(4);
    const kinds = readFileSync("src/plan/diff/change.ts", "utf8");
    expect(findings.filter((kind) => !kinds.includes(`| "${kind}"`))).toEqual([]);
  });
});

describe("docs/ownership.md", () => {
  it("names every field of the ledger", () => {
    const paths = {
      owner: "o",
      target: "t",
      commit: "c",
      paths: [],
      announced: [],
      leaving: [],
      adopted: [],
      secrets: {},
      deletes: { day: "d", count: 1 },
      merged: { git: "v" },
      snapshots: { name: "run" },
      access: { project: "p", roles: [] },
      unanswered: { path: "2026-01-02" },
      unproven: true,
      devices: ["007000000310297"],
      undelivered: ["/a"],
    };
    const watchless = { ...paths, stuck: { commit: "c", operations: "d" }, refused: { commit: "c", operations: "d", why: "w" } };
    const written = Object.keys(JSON.parse(encodeRecord(watchless)) as object);
    const described = table("docs/ownership.md", "## The ledger").flatMap(([, field]) => named(field));
    expect(described.sort()).toEqual([...written.filter((key) => !["format", "owner", "target"].includes(key)), "watch"].sort());
  });
});

describe("docs/contributing/architecture.md", () => {
  const rows = table("docs/contributing/architecture.md", "## Dangers").filter(([, number]) => /^\d+$/.test(number ?? ""));
  const tests = readdirSync("test/safety").filter((file) => file.endsWith(".test.ts"));

  it("has a test for each danger", () => {
    expect(rows.map(([, number]) => Number(number))).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]);
    for (const [, number, , , files] of rows) {
      const [first = ""] = named(files).filter((file) => file.startsWith("test/safety/"));
      expect(readFileSync(first, "utf8"), `${first} has no tests of ${number}`).toContain(`describe("${number}: `);
    }
  });

  it.each(tests)("names test/safety/%s in the rows of its dangers", (file) => {
    const numbers = [...readFileSync(join("test/safety", file), "utf8").matchAll(/describe\("(\d+): /g)].map(([, number]) => number);
    for (const number of numbers) {
      const [, , , , files] = rows.find(([, of]) => of === number) ?? [];
      expect(named(files), `danger ${number}`).toContain(`test/safety/${file}`);
    }
  });
});
