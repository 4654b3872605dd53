import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { emptyHouse, put, run } from "./house.js";
import { importsOf, roomOf } from "./imports.js";
import { rooms } from "./rooms.js";

const arrows = rooms();
const names = [...arrows.keys()];
const pairs = names.flatMap((from) => names.filter((to) => to !== from).map((to) => ({ from, to })));
const text = ({ from, to }: { readonly from: string; readonly to: string }): string => `${from} > ${to}`;

describe("the rooms of src", () => {
  it("are its folders, each a project", () => {
    const folders = readdirSync("src", { withFileTypes: true }).filter((entry) => entry.isDirectory());
    expect(folders.map(({ name }) => name)).toEqual([...names].sort());
  });

  it("contain every source except the program's entry file", () => {
    const loose = readdirSync("src", { withFileTypes: true }).filter((entry) => !entry.isDirectory());
    expect(loose.map(({ name }) => name)).toEqual(["cli.ts"]);
  });

  it("contain no cycle: each names only rooms above it in the list", () => {
    const later = pairs.filter(({ from, to }) => arrows.get(from)?.includes(to) === true && names.indexOf(to) > names.indexOf(from));
    expect(later.map(text)).toEqual([]);
  });

  it("keep core independent, http and desired dependent on core only, and reachability independent of the engine and of requests", () => {
    expect(arrows.get("core")).toEqual([]);
    expect(arrows.get("http")).toEqual(["core"]);
    expect(arrows.get("desired")).toEqual(["core"]);
    expect(arrows.get("reachability")).toEqual(["outcome", "plan", "desired", "core"]);
  });

  it("let no layer import the command, and only the command import the lab", () => {
    expect(names.filter((room) => arrows.get(room)?.includes("cli"))).toEqual([]);
    expect(names.filter((room) => arrows.get(room)?.includes("lab"))).toEqual(["cli"]);
  });

  it("let only the command import the rooms of vendors", () => {
    expect(names.filter((room) => arrows.get(room)?.includes("targets"))).toEqual(["cli"]);
  });
});

const forbidden = pairs
  .filter(({ from, to }) => arrows.get(from)?.includes(to) !== true)
  .map(text)
  .sort();

/** The compiler lets a project import everything that its references reference. Only this test checks direct imports. */
const REACHED = forbidden.filter((arrow) => {
  const [from = "", to = ""] = arrow.split(" > ");
  return arrows.get(from)?.some((room) => arrows.get(room)?.includes(to));
});

function againstArrows(root: string): readonly string[] {
  const found = importsOf(root).map(({ from, to }) => text({ from: roomOf(from), to: roomOf(to) }));
  return [...new Set(found)].filter((arrow) => forbidden.includes(arrow)).sort();
}

/** Ways to import a file of another room. */
const WAYS: ReadonlyMap<string, (to: string) => string> = new Map([
  ["import type", (to) => `import type { Kind } from "../${to}/room.js";\nexport type Mine = Kind;\n`],
  ["a type written as import()", (to) => `export type Mine = import("../${to}/room.js").Kind;\n`],
  ["import", (to) => `import { value } from "../${to}/room.js";\nexport const mine = value;\n`],
  ["export from", (to) => `export * from "../${to}/room.js";\n`],
  ["await import", (to) => `export const mine = async () => (await import("../${to}/room.js")).value;\n`],
]);

describe.each([...WAYS])("%s", (_, line) => {
  it("is refused unless there is an arrow", async () => {
    const house = emptyHouse();
    put(house, "src/cli.ts", "export {};\n");
    for (const room of names)
      put(house, `src/${room}/room.ts`, "export interface Kind {\n  readonly a: number;\n}\nexport const value = 1;\n");
    for (const { from, to } of pairs) put(house, `src/${from}/to-${to}.ts`, line(to));
    expect(againstArrows(join(house, "src"))).toEqual(forbidden);
    // Builds one room after another: in 25 parallel builds, two reported a file as "not a module" (TS2306).
    const { said } = await run(house, "tsc", "-b", "tsconfig.build.json", "--builders", "1");
    const refused = [...said.matchAll(/^src\/([\w-]+)\/to-([\w-]+)\.ts\(\d+,\d+\): error TS6307: /gm)].map(
      ([, from, to]) => `${from} > ${to}`,
    );
    expect([...new Set(refused)].sort()).toEqual(forbidden.filter((arrow) => !REACHED.includes(arrow)));
    expect(said.match(/error TS(?!6307)/g)).toBeNull();
  });
});

it("a cycle of rooms does not compile", async () => {
  const house = emptyHouse();
  const settings = JSON.parse(readFileSync("src/core/tsconfig.json", "utf8")) as object;
  put(house, "src/core/tsconfig.json", JSON.stringify({ ...settings, references: [{ path: "../plan" }] }));
  expect((await run(house, "tsc", "-b", "tsconfig.build.json")).said).toContain(
    "error TS6202: Project references may not form a circular graph.",
  );
});

it("the sources follow the arrows", () => {
  expect(againstArrows("src")).toEqual([]);
});

describe("the lab", () => {
  /** Imports of the lab by its command, which load it together with the importing file. */
  const eager = (root: string): readonly string[] =>
    importsOf(root)
      .filter(({ from, to, words }) => roomOf(from) === "cli" && roomOf(to) === "lab" && !/import\($|^(?:import|export) type\b/.test(words))
      .map(({ from, words }) => `${from}: ${words}`);

  it("is loaded by the command on demand: only its types are imported statically", () => {
    expect(eager("src")).toEqual([]);
  });

  it("a static import of it is detected", () => {
    const house = emptyHouse();
    for (const [way, line] of WAYS) put(house, `src/cli/${way}.ts`, line("lab"));
    expect(eager(join(house, "src"))).toEqual(["cli/export from.ts: export * from", "cli/import.ts: import { value } from"]);
  });
});
