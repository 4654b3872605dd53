import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseXml } from "../../src/core/tree/xml/parse.js";
import { writeXml } from "../../src/core/tree/xml/write.js";
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

describe("any second configuration", () => {
  it("equals the files after an import over another one", async () => {
    await fc.assert(
      fc.asyncProperty(configuration, configuration, async (first, second) => {
        const out = folder();
        runImport(parseXml(writeXml(first, { secrets: "reveal" })), out);
        const live = parseXml(writeXml(second, { secrets: "reveal" }));
        runImport(live, out);
        expect(desiredText((await load(out)).root)).toBe(liveText(live));
      }),
      { numRuns: process.env.PLUMBLINE_SOAK === undefined ? 100 : 3000 },
    );
  }, 600_000);
});
