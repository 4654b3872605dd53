import fc from "fast-check";
import { SaxesParser } from "saxes";
import { expect, it } from "vitest";
import { parseXml } from "../../../../src/core/tree/xml/parse.js";
import { hostileDocument } from "./hostile.js";

/** Why saxes refuses a document, or undefined. */
function saxesRefusal(xml: string): string | undefined {
  let refusal: string | undefined;
  const parser = new SaxesParser({ xmlns: false });
  parser.on("error", (error) => {
    refusal ??= error.message;
  });
  parser.write(xml).close();
  return refusal;
}

function ourRefusal(xml: string): string | undefined {
  try {
    parseXml(xml);
    return undefined;
  } catch (error) {
    return String(error);
  }
}

/** Well-formed XML that the parser refuses intentionally. */
const STRICTER = /DOCTYPE|doctype|version\s*=\s*['"]1\.[1-9]|a surrogate is not paired/;

it("accepts and refuses the same as saxes, except for document types", () => {
  let accepted = 0;
  let refused = 0;
  fc.assert(
    fc.property(hostileDocument, (xml) => {
      const theirs = saxesRefusal(xml);
      const ours = ourRefusal(xml);
      if (theirs !== undefined) {
        refused++;
        expect(ours, `saxes refuses: ${theirs}`).toBeDefined();
      } else if (!STRICTER.test(xml) && !STRICTER.test(ours ?? "")) {
        accepted++;
        expect(ours).toBeUndefined();
      }
    }),
    { numRuns: 6000 },
  );
  expect(accepted).toBeGreaterThan(600);
  expect(refused).toBeGreaterThan(600);
});
