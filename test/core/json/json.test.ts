import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseJson, tryParseJson } from "../../../src/core/json/parse.js";
import type { Json } from "../../../src/core/json/value.js";
import { writeJson } from "../../../src/core/json/write.js";

/** Integers that are written without an exponent and that a double may not hold are read as `bigint`. */
function exactly(_: string, value: unknown): unknown {
  return typeof value === "number" && Number.isInteger(value) && !Number.isSafeInteger(value) && Math.abs(value) < 1e21
    ? BigInt(value)
    : value;
}

describe("JSON with exact integers", () => {
  it("keeps every digit of a 64-bit integer in both directions", () => {
    const text = '{"uuid_mslong": 1229782938247315729, "uuid_lslong": 9300233470495232273}';
    expect(writeJson(parseJson(text))).toBe(text);
    expect(Number(9300233470495232273n).toString()).not.toBe("9300233470495232273");
  });

  it("does not change digits in strings", () => {
    const value = { 'a "1234567890123456789" b\\': "12345678901234567890", c: [1e21, 12345678901234567890n, -5] };
    expect(parseJson(JSON.stringify({ x: 'say \\"1234567890123456789\\"' }))).toEqual({ x: 'say \\"1234567890123456789\\"' });
    expect(parseJson(writeJson(value))).toEqual(value);
  });

  it("does not change fractions and exponents", () => {
    for (const text of [
      "0.1234567890123456789",
      "1234567890123456789.5",
      "-0.12345678901234568e-300",
      "12345678901234567e+20",
      "[1e-1234567890123456]",
    ])
      expect(parseJson(text)).toEqual(JSON.parse(text));
    expect(parseJson('[-12345678901234567890, 0.12345678901234568, {"a\\\\": 12345678901234567890}]')).toEqual([
      -12345678901234567890n,
      0.12345678901234568,
      { "a\\": 12345678901234567890n },
    ]);
    expect(parseJson("1000000000000000")).toBe(1_000_000_000_000_000);
  });

  it("reads its own output", () => {
    const json = fc.jsonValue().map((value) => JSON.parse(JSON.stringify(value), exactly) as Json);
    fc.assert(
      fc.property(json, fc.bigInt({ min: 2n ** 53n, max: 2n ** 64n - 1n }), (value, large) => {
        expect(parseJson(writeJson([value, large]))).toEqual([value, large]);
      }),
    );
  });

  it("writes like Python: with blanks, and only ASCII", () => {
    expect(writeJson({ a: [1, null, true], b: "é\u2028" })).toBe('{"a": [1, null, true], "b": "\\u00e9\\u2028"}');
  });

  it("refuses invalid JSON", () => {
    expect(() => parseJson("{not json 1234567890123456789")).toThrow(SyntaxError);
    expect([tryParseJson("{"), tryParseJson("[".repeat(513) + "]".repeat(513)), tryParseJson("[1]")]).toEqual([undefined, undefined, [1]]);
  });

  it("refuses input that would exhaust the process", () => {
    expect(() => parseJson("[".repeat(100_000) + "]".repeat(100_000))).toThrow("nested more than 512 levels deep");
    expect(() => parseJson(`${'{"a":'.repeat(513)}1${"}".repeat(513)}`)).toThrow("nested more than 512 levels deep");
    expect(() => parseJson(`[${"9".repeat(401)}]`)).toThrow("more than 400 digits");
    expect(() => parseJson(`[${"1,".repeat(20_000_000)}1]`)).toThrow("more than 20000000 values");
  });

  it("does not count brackets in strings", () => {
    const text = JSON.stringify({ a: "[{".repeat(1000), b: `say "${"9".repeat(500)}", \\` });
    expect(parseJson(text)).toEqual(JSON.parse(text));
  });

  it("agrees with JSON.parse on any text, except for long integers", () => {
    const piece = fc.constantFrom(
      '"',
      "\\",
      "1",
      "234567890123456",
      "-",
      ".",
      "e",
      "E",
      "+",
      "0",
      "[",
      "]",
      "{",
      "}",
      ":",
      ",",
      " ",
      "true",
      '"a":',
    );
    const parse = (read: (text: string) => unknown, text: string) => {
      try {
        return { value: JSON.stringify(read(text), (_, value) => (typeof value === "bigint" ? Number(value) : value)) };
      } catch (error) {
        return { error: error instanceof SyntaxError };
      }
    };
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 14 }), (pieces) => {
        const text = pieces.join("");
        expect(parse(parseJson, text)).toEqual(parse(JSON.parse, text));
      }),
      { numRuns: 20_000 },
    );
  });
});
