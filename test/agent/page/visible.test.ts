import { describe, expect, it } from "vitest";
import { readShown, visible } from "../../../web/data/visible.js";

describe("displayed text", () => {
  it("reveals direction-changing and invisible characters", () => {
    expect(visible("allow\u202Eyned")).toBe("allow⟨U+202E⟩yned");
    expect(visible("a\u200Bb\u0000\u2066c\uFEFF")).toBe("a⟨U+200B⟩b⟨U+0000⟩⟨U+2066⟩c⟨U+FEFF⟩");
  });

  it.each(["plain", "Ζεύς 日本語 عربى e\u0301", "👩‍👩‍👧‍👦", "two\nlines\tand a tab", "<b>&amp;</b>"])("leaves %j unchanged", (text) => {
    expect(visible(text)).toBe(text);
  });

  it("is escaped on input, at any place, escaped or not", () => {
    const sent = { rows: [["a\u202Eb", 1, { "x\u0001": "\u0001" }]] };
    expect(readShown(JSON.stringify(sent))).toEqual({ rows: [["a⟨U+202E⟩b", 1, { "x\u0001": "⟨U+0001⟩" }]] });
    expect(readShown('{"a":"\\u202e"}')).toEqual({ a: "⟨U+202E⟩" });
    expect(readShown('{"a":[1,null,true,"b"]}')).toEqual({ a: [1, null, true, "b"] });
  });
});
