import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { join, resolve } from "node:path";
import { build } from "esbuild";
import { describe, expect, it } from "vitest";
import { changedSources, type Replacement } from "../changed-sources.js";
import { expectedText } from "./golden.js";
import { MISREADINGS } from "./misreadings.js";

const HERE = "test/reachability";

/** The case of `test/cases/insight` that finds each misreading. */
const FOUND_BY: Readonly<Record<string, string>> = {
  "a-default-port-is-any": "application-default-becomes-any",
  "a-name-that-nobody-read-is-nowhere": "nat-leads-to-a-name-nobody-read",
  "a-port-behind-nat-is-forgotten": "nat-gains-a-port",
  "a-range-becomes-all-of-another": "nat-of-a-range-becomes-one-address",
  "a-schedule-is-always": "a-schedule-is-taken-from-an-allow",
  "a-setting-that-is-not-known-is-none": "a-child-that-is-not-modelled-goes",
  "an-empty-question-holds": "an-assertion-about-an-empty-group",
  "an-except-is-dropped": "an-assertion-leaves-out-what-it-excepts",
  "an-fqdn-is-empty": "a-deny-for-an-fqdn-goes",
  "an-fqdn-is-its-object-s-name": "an-fqdn-changes-inside",
  "an-icmp-type-is-any": "the-icmp-type-of-an-application-changes",
  "an-unknown-name-is-any": "a-deny-for-a-name-that-nothing-defines-goes",
  "bits-of-a-host-count": "bits-of-a-host-are-written-otherwise",
  "disabled-rules-count": "a-rule-is-disabled",
  "drop-is-another-verdict": "deny-becomes-drop",
  "interzone-is-universal": "a-rule-between-zones-becomes-universal",
  "intrazone-is-universal": "a-rule-within-zones-becomes-universal",
  "ipv4-is-no-part-of-ipv6": "any-becomes-all-of-ipv6",
  "learned-routes-are-not-said": "nat-changes-where-routes-are-learned",
  "nat-that-translates-nothing-is-passed-over": "a-rule-without-nat-goes",
  "nat-works-one-way": "nat-works-both-ways-no-more",
  "negation-is-forgotten": "negation-is-added",
  "of-routes-that-are-alike-one-is-taken": "a-route-is-like-another",
  "one-address-in-two-spellings-is-two": "nat-of-a-range-becomes-one-address",
  "registered-addresses-are-none": "an-object-is-tagged-into-a-dynamic-group",
  "rules-above-do-not-count": "a-rule-below-is-written-otherwise",
  "rules-see-the-zone-before-nat": "nat-leads-to-another-zone",
  "source-ports-are-forgotten": "a-service-gains-a-source-port",
  "the-last-match-decides": "overlapping-rules-change-places",
  "wildcards-go-in-order": "wildcards-overlap",
};

/** Returns the reports of the named cases, made by the sources with these replacements. */
async function reportsOf(names: readonly string[], replacements?: readonly Replacement[]): Promise<string[]> {
  mkdirSync(resolve("dist/reachability"), { recursive: true });
  const folder = mkdtempSync(resolve("dist/reachability/misread-"));
  try {
    const outfile = join(folder, "golden.mjs");
    await build({
      entryPoints: [join(HERE, "golden.ts")],
      outfile,
      bundle: true,
      platform: "node",
      format: "esm",
      packages: "external",
      logLevel: "error",
      plugins: [changedSources(replacements)],
    });
    const { goldenText } = (await import(outfile)) as typeof import("./golden.js");
    const texts: string[] = [];
    for (const name of names) texts.push(await goldenText(name));
    return texts;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

describe("sources with a deliberate misreading", () => {
  it("each have a case", () => {
    expect(Object.keys(MISREADINGS)).toEqual(Object.keys(FOUND_BY));
  });

  it("do not include the unchanged sources", async () => {
    const names = Object.values(FOUND_BY);
    expect(await reportsOf(names)).toEqual(names.map(expectedText));
  });

  it.each(Object.entries(FOUND_BY))("%s: found by %s", async (misreading, name) => {
    const [text] = await reportsOf([name], MISREADINGS[misreading]);
    expect(text).not.toBe(expectedText(name));
  });
});
