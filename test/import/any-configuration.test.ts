import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseXml } from "../../src/tree/xml/parse.js";
import { writeXml } from "../../src/tree/xml/write.js";
import { configuration, oddConfiguration } from "./arbitrary.js";
import { desiredText, differences, folder, liveText, load, runImport } from "./support.js";

describe("any configuration", () => {
  it.each([
    ["known and odd", configuration],
    ["odd alone", oddConfiguration],
  ])(
    "comes back whole: %s",
    async (_, arbitrary) => {
      await fc.assert(
        fc.asyncProperty(arbitrary, async (tree) => {
          const live = parseXml(writeXml(tree, { secrets: "reveal" }));
          const out = folder();
          runImport(live, out);
          const desired = await load(out);
          expect(desiredText(desired.root)).toBe(liveText(live));
          expect(differences(desired, live)).toEqual([]);
        }),
        { numRuns: process.env.PLUMBLINE_SOAK === undefined ? 120 : 5000 },
      );
    },
    60_000,
  );
});
