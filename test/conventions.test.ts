import { existsSync, readFileSync } from "node:fs";
import { expect, it } from "vitest";

interface Row {
  readonly number: number;
  readonly stands: string;
  readonly why: string;
}

const rows: Row[] = [...readFileSync("docs/conventions.md", "utf8").matchAll(/^\| (\d+) \|.*?\| (\w+) \| ?(.*)\|$/gm)].map(
  ([, number = "", stands = "", why = ""]) => ({ number: Number(number), stands, why: why.trim() }),
);

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
