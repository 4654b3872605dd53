import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";

interface Row {
  readonly number: number;
  readonly stands: string;
  readonly why: string;
}

const page = readFileSync("docs/conventions.md", "utf8");

const rows: Row[] = [...page.matchAll(/^\| (\d+) \|.*?\| (\w+) \| ?(.*)\|$/gm)].map(([, number = "", stands = "", why = ""]) => ({
  number: Number(number),
  stands,
  why: why.trim(),
}));

it("the table of conventions has every row once, and each stands somewhere", () => {
  expect(rows.map(({ number }) => number)).toEqual(Array.from({ length: 54 }, (_, index) => index + 1));
  expect(rows.filter(({ stands }) => !["yes", "part", "no"].includes(stands))).toEqual([]);
});

it("what stands is held by a test that is there, and what stands in part says what is missing", () => {
  for (const { number, stands, why } of rows) {
    const tests = [...why.matchAll(/`(test\/[^`]+)`/g)].map(([, file = ""]) => file);
    if (stands === "yes") expect(tests.length, `row ${number}`).toBeGreaterThan(0);
    if (stands === "part") expect(why, `row ${number}`).not.toBe("");
    expect(tests.filter((file) => !existsSync(file))).toEqual([]);
  }
});

/** Numbers behind a phrase of the page. */
const listed = (phrase: string): number[] =>
  [...(page.match(new RegExp(`${phrase}: ([0-9, ]+)\\.`))?.[1] ?? "").matchAll(/\d+/g)].map(Number);

it("says of each row that the first release is to have whether it stands, as the table does", () => {
  const asked = listed("these are asked for");
  expect(asked.length).toBeGreaterThan(20);
  const stands = (number: number): boolean => rows.find((row) => row.number === number)?.stands === "yes";
  expect(listed("They stand")).toEqual(asked.filter(stands));
  expect(listed("They do not stand yet")).toEqual(asked.filter((number) => !stands(number)));
});

it("names tests that test something", () => {
  const named = [...new Set(rows.flatMap(({ why }) => [...why.matchAll(/`(test\/[^`]+)`/g)].map(([, file = ""]) => file)))];
  const testsIn = (path: string): string[] => {
    if (statSync(path).isDirectory()) return readdirSync(path).flatMap((name) => testsIn(join(path, name)));
    return path.endsWith(".test.ts") && /\bit(\.each)?\(/.test(readFileSync(path, "utf8")) ? [path] : [];
  };
  expect(named.length).toBeGreaterThan(20);
  expect(named.filter((path) => testsIn(path).length === 0)).toEqual([]);
});
