import { expect, it } from "vitest";
import { safeOutput } from "../../src/cli/safe-output.js";
import { printJson } from "../../src/core/json/print.js";

function written(...texts: readonly string[]): string {
  let all = "";
  const output = safeOutput({ write: (text) => (all += text) });
  for (const text of texts) output.write(text);
  return all;
}

it.each([
  ["::error::x\n", ": :error::x\n"],
  ["a\n  ::set-env name=A::b\n", "a\n  : :set-env name=A::b\n"],
  ["edge ##[error]x ##vso[task.x]y\n", "edge # #[error]x # #vso[task.x]y\n"],
  ["see https://TOKEN@host/x?key=abc\n", "see https://host/x?key=***\n"],
  ["a\u202eb\u2066c\u200fd", "a\\u202eb\\u2066c\\u200fd"],
])("%j is shown as %j", (text, shown) => {
  expect(written(text)).toBe(shown);
});

it.each(["  ::/0\n", "::1/128 and 2001:db8::1\n", "+ ::error::x\n", "## [a](b)\n", "a line\r\n", "\tשלום\n"])(
  "leaves %j unchanged",
  (text) => {
    expect(written(text)).toBe(text);
  },
);

it("passes on properties of the stream", () => {
  const stream = { isTTY: true, columns: 80, write: () => undefined };
  expect(safeOutput(stream)).toMatchObject({ isTTY: true, columns: 80 });
});

it("keeps JSON values unchanged, and neutralises them on a terminal", () => {
  const value = { "::error::": ["##[error]x", "##vso[a]", "\u202eabc\u2028", "a[##"], b: "# #[" };
  const text = printJson(value, 2);
  expect(JSON.parse(text)).toEqual(value);
  expect(written(text)).toBe(text);
  expect(text).not.toMatch(/##\[|##vso\[|[\u202a-\u202e]/);
});
