import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { emptyHouse, put, run } from "./house.js";

const PROMISES = "test/architecture/fixtures/promises.ts";

/** Broken `biome lint` rules in these files, as `file rule`. */
async function broken(files: Readonly<Record<string, string>>): Promise<readonly string[]> {
  const house = emptyHouse();
  for (const [file, text] of Object.entries(files)) put(house, file, text);
  const { code, said } = await run(house, "biome", "lint", "--error-on-warnings", ".");
  const found = [...said.matchAll(/^(\S+\.ts):\d+:\d+ lint\/\w+\/(\w+)/gm)].map(([, file, rule]) => `${file} ${rule}`);
  expect(code).toBe(found.length === 0 ? 0 : 1);
  return [...new Set(found)].sort();
}

describe("promises", () => {
  it("without await are detected, and nothing else is", async () => {
    const { code, said } = await run(".", "oxlint", "--format", "unix", PROMISES);
    const found = [...said.matchAll(/:(\d+):\d+: .*\(([\w-]+)\)\]$/gm)].map(([, line, rule]) => `${line} ${rule}`);
    const marked = readFileSync(PROMISES, "utf8")
      .split("\n")
      .flatMap((line, at) => [...(/; \/\/ ([\w-]+)$/.exec(line)?.slice(1) ?? [])].map((rule) => `${at + 1} ${rule}`));
    expect(found.sort()).toEqual(marked.sort());
    expect(marked).toHaveLength(10);
    expect(code).toBe(1);
  });
});

describe("a writer", () => {
  const WAYS = {
    "type.ts": `import type { WriteTarget } from "../engine/write-target.js";\nexport type Mine = WriteTarget;\n`,
    "value.ts": `import { write } from "../engine/write-target.js";\nexport const mine = write;\n`,
    "again.ts": `export type { WriteTarget } from "../engine/write-target.js";\n`,
    "later.ts": `export const mine = async () => await import("../engine/write-target.js");\n`,
  };
  const files = (room: string) => Object.fromEntries(Object.entries(WAYS).map(([file, text]) => [`src/${room}/${file}`, text]));

  it.each(["report", "cli", "agent", "engine/drift", "engine/watch"])("cannot be imported in src/%s", async (room) => {
    expect(await broken(files(room))).toEqual(
      Object.keys(files(room))
        .map((file) => `${file} noRestrictedImports`)
        .sort(),
    );
  });

  it.each(["engine/apply", "targets/panos"])("can be imported in src/%s", async (room) => {
    expect(await broken(files(room))).toEqual([]);
  });
});

describe("size", () => {
  const lines = (count: number, line: (at: number) => string): string => Array.from({ length: count }, (_, at) => `${line(at)}\n`).join("");

  it("of a file is at most 400 lines", async () => {
    const file = (count: number) => ({ "src/plan/long.ts": lines(count, (at) => `export const c${at} = ${at};`) });
    expect(await broken(file(400))).toEqual([]);
    expect(await broken(file(401))).toEqual(["src/plan/long.ts noExcessiveLinesPerFile"]);
  });

  it("of a function is at most 65 lines between its braces", async () => {
    const file = (count: number) => ({
      "src/plan/long.ts": `export function long(told: (n: number) => void): void {\n${lines(count, (at) => `  told(${at});`)}}\n`,
    });
    expect(await broken(file(65))).toEqual([]);
    expect(await broken(file(66))).toEqual(["src/plan/long.ts noExcessiveLinesPerFunction"]);
  });

  it("of a function's complexity is at most 30", async () => {
    const file = (count: number) => ({
      "src/plan/deep.ts": `export function deep(n: number, told: (n: number) => void): void {\n${lines(count, (at) => `  if (n === ${at}) told(${at});`)}}\n`,
    });
    expect(await broken(file(30))).toEqual([]);
    expect(await broken(file(31))).toEqual(["src/plan/deep.ts noExcessiveCognitiveComplexity"]);
  });
});

describe("a cycle of imports", () => {
  const ring = (second: string) => ({
    "src/plan/a.ts": `import { b } from "./b.js";\nexport const a = (): unknown => b;\n`,
    "src/plan/b.ts": second,
    "src/plan/c.ts": `import { a } from "./a.js";\nexport const c = (): unknown => a;\n`,
  });

  it("is detected inside a room, over several files", async () => {
    const rule = "noImportCycles";
    expect(await broken(ring(`import { c } from "./c.js";\nexport const b = (): unknown => c;\n`))).toEqual([
      `src/plan/a.ts ${rule}`,
      `src/plan/b.ts ${rule}`,
      `src/plan/c.ts ${rule}`,
    ]);
  });

  it("may include a type import, which does not exist at run time", async () => {
    expect(await broken(ring(`import type { c } from "./c.js";\nexport const b = (it: typeof c): unknown => it;\n`))).toEqual([]);
  });
});

describe("an export", () => {
  it("without a use is detected, in sources and in shared test code", async () => {
    const house = emptyHouse();
    put(house, "src/cli.ts", `import { used } from "./plan/used.js";\nused();\n`);
    put(house, "src/plan/used.ts", "export function used(): void {}\nexport function idle(): void {}\nexport interface Idle {}\n");
    put(house, "src/plan/nobody.ts", "export const nobody = 1;\n");
    put(house, "test/plan/a.test.ts", `import { shared } from "./support.js";\nshared();\n`);
    put(house, "test/plan/support.ts", "export function shared(): void {}\nexport function left(): void {}\n");
    const { code, said } = await run(house, "knip", "--include", "files,exports,types", "--no-config-hints", "--no-progress");
    expect(said.split("\n").flatMap((line) => /^\S*(?:idle|left|nobody)\S*/i.exec(line)?.[0] ?? [])).toEqual([
      "src/plan/nobody.ts",
      "idle",
      "left",
      "Idle",
    ]);
    expect(code).toBe(1);
  });

  it("that only tests use is detected, unless marked", async () => {
    const house = emptyHouse();
    put(house, "src/cli.ts", `import { used } from "./plan/used.js";\nused();\n`);
    put(
      house,
      "src/plan/used.ts",
      "export function used(): void {}\nexport function tried(): void {}\n/** @internal Exported for its test. */\nexport function said(): void {}\n",
    );
    put(house, "test/plan/used.test.ts", `import { said, tried } from "../../src/plan/used.js";\nsaid();\ntried();\n`);
    const words = ["--include", "exports,types", "--no-config-hints", "--no-progress"];
    expect(await run(house, "knip", ...words)).toMatchObject({ code: 0 });
    const { code, said } = await run(house, "knip", "--production", ...words);
    expect(said.split("\n").flatMap((line) => /^(?:tried|said|used)\b/.exec(line)?.[0] ?? [])).toEqual(["tried"]);
    expect(code).toBe(1);
  });
});
