import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { PlumblineError } from "../../src/core/errors.js";
import { readErrorMessage, readVerdicts } from "../../src/verdict/reply.js";
import { hashes, md5, sha256 } from "./support.js";

const read = (text: string): ReadonlyMap<string, number> => readVerdicts(Buffer.from(text), "https://verdict.example");
const entry = (sha: string, short: string, verdict: string): string =>
  `<get-verdict-info><sha256>${sha}</sha256><md5>${short}</md5><verdict>${verdict}</verdict></get-verdict-info>`;

describe("a reply", () => {
  it("applies to both hashes of an entry, in any case, with elements in any order", () => {
    const one = `<get-verdict-info>\n <verdict> 1 </verdict><md5>${md5("a").toUpperCase()}</md5><sha256>${sha256("a")}</sha256></get-verdict-info>`;
    expect([...read(`<analysis>${one}</analysis>`)]).toEqual([
      [sha256("a"), 1],
      [md5("a"), 1],
    ]);
  });

  it("may leave one hash of an entry empty", () => {
    expect([...read(`<wildfire>${entry("", md5("a"), "-102")}</wildfire>`)]).toEqual([[md5("a"), -102]]);
  });

  it.each([
    ["another root", "<response/>"],
    ["words in place of a verdict", `<analysis>${entry(sha256("a"), md5("a"), "benign")}</analysis>`],
    ["no verdict", `<analysis>${entry(sha256("a"), md5("a"), "")}</analysis>`],
  ])("with %s is not understood", (_, text) => {
    expect(() => read(text)).toThrow(expect.objectContaining({ code: "verdict-reply-not-understood" }));
  });

  it("is refused if truncated anywhere", () => {
    const text = `<?xml version="1.0"?>\n<analysis>${hashes(6)
      .map((hash) => entry(sha256(hash), md5(hash), "0"))
      .join("\n")}</analysis>`;
    fc.assert(
      fc.property(fc.integer({ min: 0, max: text.length - 1 }), (length) => {
        expect(() => read(text.slice(0, length))).toThrow(PlumblineError);
      }),
    );
  });
});

describe("an error reply", () => {
  it.each([
    ["<error><error-message>'invalid hash value'</error-message></error>", "invalid hash value"],
    ["<any><error-message>without quotes</error-message></any>", "without quotes"],
    ["<error/>", undefined],
    ["not XML", undefined],
  ])("%s says %s", (text, words) => {
    expect(readErrorMessage(Buffer.from(text))).toBe(words);
  });
});
