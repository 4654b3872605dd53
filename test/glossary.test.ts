import { existsSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";

const rows = readFileSync("docs/contributing/glossary.md", "utf8")
  .split("\n")
  .filter((line) => line.startsWith("| ") && !line.startsWith("| word |"))
  .map((line) => line.split("|").map((cell) => cell.trim()))
  .map(([, word = "", meaning = "", carrier = ""]) => ({ word, meaning, carrier }));

/** The declarations of a name in the source file of its row, or of a field with that name. */
const declares = (name: string): RegExp =>
  new RegExp(`\\b(?:interface|type|class|function|const) ${name}\\b|^ +(?:readonly )?${name}\\??: `, "m");

describe("docs/contributing/glossary.md", () => {
  it("has many words, each of them once", () => {
    expect(rows.length).toBeGreaterThan(50);
    const words = rows.map(({ word }) => word);
    expect(words.filter((word, at) => words.indexOf(word) !== at)).toEqual([]);
  });

  it.each(rows)("names the carrier of $word", ({ carrier, meaning }) => {
    const [, name, file = ""] = /^(?:`([^`]+)` in )?`([^`]+)`$/.exec(carrier) ?? [];
    expect(meaning).not.toBe("");
    expect(existsSync(file), carrier).toBe(true);
    if (name !== undefined) expect(readFileSync(file, "utf8"), carrier).toMatch(declares(name));
  });
});
