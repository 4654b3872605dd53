import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { expectedFile, goldenText, heavyCases, quickCases } from "../golden.js";

/** The original folders of insight. All others were added later. */
const ASKED_FIRST: readonly string[] = [
  "shadowed-by-a-union",
  "a-net-becomes-its-halves",
  "ports-are-written-otherwise",
  "disjoint-rules-change-places",
  "an-object-is-renamed",
  "an-allow-within-a-zone-goes",
  "any-becomes-ipv4",
  "a-deny-for-an-fqdn-goes",
  "deny-becomes-drop",
  "ssl-is-denied-above-an-allow",
  "wildcards-overlap",
  "a-group-of-many-rules-gains-a-host",
  "an-allow-any-on-top-of-ten-thousand",
  "only-a-nat-rule-changes",
  "a-post-rule-denies-below-a-local-allow",
  "a-pre-rule-denies-above-a-local-allow",
  "a-schedule-is-taken-from-an-allow",
  "an-assertion-about-an-empty-group",
];

describe("what becomes reachable between two configurations", () => {
  it.each(quickCases)("%s", async (name) => {
    await expect(await goldenText(name)).toMatchFileSnapshot(join("../../..", expectedFile(name)));
  });

  it("the last case is the second query, with the same result", () => {
    const all = [...quickCases, ...heavyCases];
    expect(ASKED_FIRST.filter((name) => !all.includes(name))).toEqual([]);
    expect(all.length).toBeGreaterThanOrEqual(2 * ASKED_FIRST.length);
  });
});
