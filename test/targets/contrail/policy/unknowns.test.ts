import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { rulebasesOf } from "../../../../src/targets/contrail/policy/policies.js";
import { ASSUMED, type ReadingOptions } from "../../../../src/targets/contrail/policy/reading.js";
import { contrailSettings } from "../../../../src/targets/contrail/settings.js";
import type { RawFabric, RawRule } from "./brute.js";
import { treeOf } from "./fabric.js";

const CONTROLLER = /\n## The controller\n(.*?)\n## /s;
const [, controller = ""] = CONTROLLER.exec(readFileSync("docs/contributing/flow-analysis.md", "utf8")) ?? [];
const [prose = "", below = ""] = controller.split("\n### What is not known of controllers\n");
const rows = [...below.matchAll(/^\| (.+) \[\?\] \| `(.+)` \| `(\w+):`, or `(.+)` \|$/gm)].map(
  ([, what = "", assumed = "", option = "", other = ""]) => ({ what, assumed, option, other }),
);

const rule = (action: "pass" | "deny"): RawRule => ({
  direction: ">",
  protocol: "tcp",
  src_addresses: [{ virtual_network: "default-domain:demo:a" }],
  src_ports: [{ start_port: -1, end_port: -1 }],
  dst_addresses: [{ virtual_network: "default-domain:demo:b" }],
  dst_ports: [{ start_port: 80, end_port: 80 }],
  action_list: { simple_action: action },
});
const named = (name: string) => ["default-domain", "demo", name];
/** Two networks with these policies, `pq` in that order, which let pass and stop. */
const fabric = (attached: string, sequences: readonly number[]): RawFabric => ({
  networks: ["a", "b"].map((name) => ({
    fq_name: named(name),
    network_policy_refs: [...attached].map((each, at) => ({
      to: named(each),
      attr: { sequence: { major: sequences[at] ?? 0, minor: 0 } },
    })),
  })),
  policies: [
    { fq_name: named("p"), network_policy_entries: { policy_rule: [rule("pass")] } },
    { fq_name: named("q"), network_policy_entries: { policy_rule: [rule("deny")] } },
  ],
});

/** A fabric whose answers depend on it, and one whose answers do not; the text about it, and whether the answer is exact. */
const CASES: Readonly<Record<string, readonly [hangs: RawFabric, not: RawFabric, about: RegExp, doubtful: boolean]>> = {
  equalSequence: [fabric("qp", [0, 0]), fabric("qp", [0, 1]), /one sequence/, true],
  logicalRouters: [fabric("p", [0]), fabric("", []), /logical routers/, false],
};

const policyOf = (raw: RawFabric, options: ReadingOptions = {}) => rulebasesOf([treeOf(raw)], options)[0].policies()[0];
const said = (raw: RawFabric, about: RegExp, options: ReadingOptions = {}) =>
  policyOf(raw, options)?.limits.filter(({ text }) => text.includes("[?]") && about.test(text)) ?? [];

describe("unknowns of a controller", () => {
  it("have a row for each [?] of the page, and no other", () => {
    expect(prose.match(/\[\?\]/g)).toHaveLength(rows.length);
    expect(below.match(/\[\?\]/g)).toHaveLength(rows.length);
    expect(rows.map(({ option }) => option).sort()).toEqual(Object.keys(ASSUMED).sort());
  });

  it.each(rows)("$what: is an option with its assumption", ({ assumed, option, other }) => {
    expect(ASSUMED).toHaveProperty(option, assumed);
    const { reading } = contrailSettings.schema.properties as Record<
      string,
      { readonly properties?: Record<string, { enum: readonly string[] }> }
    >;
    expect(reading?.properties?.[option]?.enum.toSorted()).toEqual([assumed, other].toSorted());
  });

  it.each(rows)(
    "$what: is printed with each answer that depends on it, for any setting, and with no other",
    ({ assumed, option, other }) => {
      const [hangs, not, about, doubtful] = CASES[option] ?? expect.fail(`no case of ${option}`);
      const texts = [assumed, other].map((value) => {
        const limits = said(hangs, about, { [option]: value });
        expect(limits.map((each) => each.doubtful === true).filter((each) => each !== doubtful)).toEqual([]);
        expect(limits.length).toBeGreaterThan(0);
        return limits[0]?.text;
      });
      expect(new Set(texts).size).toBe(2);
      expect(said(not, about)).toEqual([]);
    },
  );

  it("changes the result with the other setting", () => {
    const verdicts = (raw: RawFabric, options: ReadingOptions) =>
      policyOf(raw, options)
        ?.rules.filter(({ key }) => key.level !== "within")
        .map(({ verdict, key }) => `${verdict} ${key.name}`);
    for (const [option, [hangs]] of Object.entries(CASES)) {
      const { other } = rows.find((row) => row.option === option) ?? expect.fail(`no row of ${option}`);
      expect(verdicts(hangs, { [option]: other })).not.toEqual(verdicts(hangs, {}));
    }
  });
});
