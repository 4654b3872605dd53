import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { emptyHouse, put } from "./house.js";

const MOST_FIELDS = 15;

interface Declared {
  readonly fields: number;
  /** Names of interfaces that it extends. */
  readonly bases: readonly string[];
}

/** Interfaces of the sources below `root`, by name. The formatter puts each member on a line with an indentation of two spaces. */
function interfacesOf(root: string): ReadonlyMap<string, readonly Declared[]> {
  const found = new Map<string, Declared[]>();
  for (const file of readdirSync(root, { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".ts"))) {
    const text = readFileSync(join(root, file), "utf8");
    for (const [, name = "", head = "", body = ""] of text.matchAll(/^(?:export )?interface (\w+)([^{]*)\{\n(.*?)^\}/gms)) {
      const fields = [...body.matchAll(/^ {2}(?:readonly )?["\w]+\??[:(<]/gm)].length;
      found.set(name, [...(found.get(name) ?? []), { fields, bases: [...head.matchAll(/\b[A-Z]\w+/g)].map(([base]) => base) }]);
    }
  }
  return found;
}

/** Options and contexts with too many fields. Fields of interfaces that they extend count. */
function tooLarge(root: string): readonly string[] {
  const all = interfacesOf(root);
  const sizeOf = ({ fields, bases }: Declared): number =>
    fields + bases.reduce((sum, base) => sum + Math.max(0, ...(all.get(base) ?? []).map(sizeOf)), 0);
  return [...all]
    .filter(([name]) => /(?:Options|Context)$/.test(name))
    .flatMap(([name, declared]) => declared.map((each) => ({ name, size: sizeOf(each) })))
    .filter(({ size }) => size > MOST_FIELDS)
    .map(({ name, size }) => `${name} has ${size} fields`);
}

describe("options and contexts", () => {
  it("have at most 15 fields", () => {
    expect(tooLarge("src")).toEqual([]);
  });

  it("are counted with the fields of their bases, and other interfaces are not", () => {
    const house = emptyHouse();
    const fields = (count: number): string =>
      Array.from({ length: count }, (_, index) => `  readonly f${index}: {\n    readonly deep: 1;\n  };\n`).join("");
    put(house, "src/engine/a.ts", `export interface SmallOptions {\n${fields(15)}}\ninterface LargeOptions {\n${fields(16)}}\n`);
    put(
      house,
      "src/engine/b.ts",
      `export interface SumContext extends Omit<Base, "x"> {\n  run(): void;\n}\nexport interface Base {\n${fields(15)}}\n`,
    );
    put(house, "src/engine/c.ts", `export interface Other {\n${fields(20)}}\n`);
    expect(tooLarge(join(house, "src"))).toEqual(["LargeOptions has 16 fields", "SumContext has 16 fields"]);
  });
});
