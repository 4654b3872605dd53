import { describe, expect, it } from "vitest";
import { parsePath } from "../../src/core/tree/xpath.js";
import { overwrittenWarnings } from "../../src/engine/overwritten.js";
import type { DriftItem } from "../../src/outcome/outcome.js";

const RULES = "/config/devices/entry[@name='localhost.localdomain']/vsys/entry[@name='vsys1']/rulebase/security/rules";

function item(path: string, admin?: string): DriftItem {
  const attribution = admin === undefined ? undefined : { admin, time: "2026/11/21 03:04:11" };
  return {
    change: { kind: "change", path: parsePath(path), live: undefined, desired: undefined } as unknown as DriftItem["change"],
    attribution,
  };
}

describe("what was written over", () => {
  it("is one line for what one person did to one entry, with what of it", () => {
    const rule = `${RULES}/entry[@name='web-to-db']`;
    expect(overwrittenWarnings([item(`${rule}/source`, "mkovacs"), item(`${rule}/description`, "mkovacs"), item(rule)])).toEqual([
      `"mkovacs" had changed rules web-to-db at 2026/11/21 03:04:11 (source, description): it was written over`,
      "somebody had changed rules web-to-db: it was written over",
    ]);
  });

  it("is by somebody where the target tells when and not by whom", () => {
    expect(overwrittenWarnings([item(`${RULES}/entry[@name='web']`, "unknown")])).toEqual([
      "somebody had changed rules web at 2026/11/21 03:04:11: it was written over",
    ]);
  });

  it("is cut after five lines, and says how many more there are", () => {
    const many = Array.from({ length: 8 }, (_, n) => item(`${RULES}/entry[@name='r${n}']`, "alice"));
    const words = overwrittenWarnings(many);
    expect(words).toHaveLength(6);
    expect(words.at(-1)).toBe("and 3 more changes of others");
  });
});
