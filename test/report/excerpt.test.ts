import { describe, expect, it } from "vitest";
import { PlumblineError } from "../../src/core/errors.js";
import { excerptOf } from "../../src/report/excerpt.js";

const plain = (_: string, text: string): string => text;
const at = (line: number | undefined, column: number | undefined, code = "wrong-shape") =>
  new PlumblineError(code, "x", { where: { file: "a.yaml", line, column } });

describe("the excerpt of an error", () => {
  it("is its line with a caret below the column", () => {
    expect(excerptOf(at(2, 3), "one\r\n  two: x\r\nthree\n".split("\n"), plain)).toEqual(["      2 │   two: x", "        │   ^"]);
  });

  it("aligns the caret after tabs and after line numbers of several digits", () => {
    expect(excerptOf(at(10, 2), `${"\n".repeat(9)}\tx`.split("\n"), plain)).toEqual(["      10 │  x", "         │  ^"]);
  });

  it("is shortened around the column of a long line, with the caret in place", () => {
    const line = `${"a".repeat(5000)}HERE${"b".repeat(5000)}`;
    const [shown = "", caret = ""] = excerptOf(at(1, 5001), [line], plain);
    expect(shown.length).toBeLessThan(120);
    expect(shown.slice(caret.indexOf("^")).startsWith("HERE")).toBe(true);
    const [last = "", below = ""] = excerptOf(at(1, 10_004), [line], plain);
    expect(last.at(below.indexOf("^"))).toBe("b");
  });

  it("is empty for a missing line, an empty line or no line", () => {
    for (const error of [at(3, 1), at(2, 1), at(undefined, undefined)]) expect(excerptOf(error, ["one", "", ""], plain)).toEqual([]);
  });

  it("never shows a secret in plain text", () => {
    expect(excerptOf(at(1, 1, "plaintext-secret"), ["password: hunter2"], plain)).toEqual([]);
  });
});
