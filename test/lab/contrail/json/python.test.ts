import { describe, expect, it } from "vitest";
import type { Json } from "../../../../src/core/json/value.js";
import { pythonText } from "../../../../src/lab/contrail/json/python.js";

describe("values as Python prints them", () => {
  it.each<[Json, string]>([
    [null, "None"],
    [{ a: true, b: [1, "x"] }, "{'a': True, 'b': [1, 'x']}"],
    ["it's", `"it's"`],
    [`it's "so"`, `'it\\'s "so"'`],
    ["a\nb\\", "'a\\nb\\\\'"],
  ])("%j", (value, text) => {
    expect(pythonText(value)).toBe(text);
  });
});
