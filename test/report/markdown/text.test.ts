import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { clip, codeSpan, fenceFor, htmlCode, prose } from "../../../src/report/markdown/text.js";
import { outsideCode } from "./inert.js";

const HOSTILE = [
  "@everyone",
  "a`b``c",
  "`",
  "<img src=x onerror=alert(1)>",
  "[click](https://evil.example)",
  "https://evil.example",
  "www.evil.example",
  "x|y",
  "#123",
  "org/repo#1",
  "!42",
  "~label",
  "/close",
  "*bold*",
  "_em_",
  "~~gone~~",
  "&lt;b&gt;",
  "</details>",
  "<!-- plumbline:comment -->",
  "```",
  "deadbeef",
  "ABC-123",
  ":boom:",
  "\\`",
  "a\n\n# head",
  "\u202eevil",
];
const text = fc.array(fc.oneof(fc.constantFrom(...HOSTILE), fc.string(), fc.constantFrom("rule", "becomes", "5", "of")), { maxLength: 12 });

describe("prose", () => {
  it("keeps ordinary words and shows everything else as code", () => {
    expect(prose('5 of 10 entries of web-03 would change (30% may), in "rules".')).toBe(
      '5 of 10 entries of `web-03` would change (30% may), in "rules".',
    );
    expect(prose("ask @netops now")).toBe("ask `@netops` now");
  });

  it("neutralises any text", () => {
    fc.assert(
      fc.property(text, (parts) => {
        const left = outsideCode(`- ${prose(parts.join(" "))}`);
        expect(left).not.toMatch(/[@<>[\]|*_~#\\&/`$]|!\w|www|:\w/u);
        expect(left.split("\n")).toHaveLength(1);
      }),
      { numRuns: 2_000 },
    );
  });
});

describe("codeSpan", () => {
  it("contains any text, also backticks", () => {
    expect(codeSpan("a`b")).toBe("``a`b``");
    expect(codeSpan("`")).toBe("`` ` ``");
    expect(codeSpan("a\nb")).toBe("`a\\nb`");
    fc.assert(fc.property(fc.string(), (value) => void expect(outsideCode(codeSpan(value))).toBe("•")));
  });
});

describe("fences and HTML", () => {
  it("cannot be closed by their content", () => {
    expect(fenceFor(["a", "````"])).toBe("`````");
    expect(fenceFor([])).toBe("```");
    expect(htmlCode('</code><b>"&')).toBe("<code>&lt;/code&gt;&lt;b&gt;&quot;&amp;</code>");
  });
});

describe("clip", () => {
  it("never splits a character", () => {
    expect(clip("ab😀cd", 4)).toBe("ab…");
    expect(clip("abcd", 4)).toBe("abcd");
  });
});
