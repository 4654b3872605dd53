import { describe, expect, it } from "vitest";
import { withEdits } from "../../../src/access/edit.js";
import { find } from "../../../src/core/tree/lookup.js";
import type { TreeNode } from "../../../src/core/tree/node.js";
import { parsePath } from "../../../src/core/tree/xpath/xpath.js";
import { cleanUpAll } from "../../../src/engine/access/cleanup-pass.js";
import type { FirewallRuleHits } from "../../../src/reachability/policy-target.js";
import { baseOf, decisions, devices, entry, manager, members, rule, rules } from "./managed-firewalls.js";
import { SERIALS } from "./random-manager.js";

const QUESTION = { unused: undefined, disable: false, deleteAfter: 30, acceptExcess: false, today: "2026-11-29" };
const BRANCH = "device-group/branch";
const ALL = "device-group/all";

async function cleaned(
  tree: TreeNode,
  more: {
    readonly scope?: string;
    readonly unused?: { readonly since: number };
    readonly declared?: TreeNode;
    readonly hits?: readonly FirewallRuleHits[];
  } = {},
) {
  const { scope, declared = tree, hits } = more;
  const target = { counters: { ruleHits: () => expect.fail(), managedRuleHits: async () => hits } };
  const base = baseOf(tree, scope);
  const all = { ...base, declared, target, context: { ...base.context, name: "manager" } } as unknown as typeof base;
  const { rulebases, edits } = await cleanUpAll(all, { ...QUESTION, scope, unused: more.unused });
  const after = withEdits(tree, edits);
  const of = (each: TreeNode) => SERIALS.map((serial) => decisions(each, serial));
  const removed = rulebases.flatMap(({ scope: place, steps }) =>
    steps.map(({ action, kind, rule: name }) => `${place} ${action} ${name}: ${kind}`),
  );
  const reportOf = (place: string) => rulebases.find((each) => each.scope === place);
  return { removed, reportOf, edits, was: of(tree), is: of(after) };
}

const only = (source: string, log = "") => rule(`only ${source}`, "allow", { source: [source] }, log);
const TARGET_B = `<target>${devices(["b"])}</target>`;

describe("lint --fix of rules of a manager", () => {
  it("removes a shadowed pre-rule and a redundant post-rule of a device group, and names the firewalls", async () => {
    const tree = manager({
      branch:
        rules("pre", rule("net", "allow", { source: ["10.1.0.0/24"] }), only("10.1.0.5")) +
        rules("post", only("10.1.1.1"), rule("rest", "allow")),
    });
    const { removed, reportOf, was, is } = await cleaned(tree);
    expect(removed).toEqual([
      `${BRANCH} remove net: redundant`,
      `${BRANCH} remove only 10.1.0.5: shadowed`,
      `${BRANCH} remove only 10.1.1.1: redundant`,
    ]);
    expect(reportOf(BRANCH)?.notes).toEqual([`Rules of ${BRANCH} apply to fw-a, fw-b.`]);
    expect(is).toEqual(was);
  });

  it("keeps a rule of a parent group that one child group needs", async () => {
    const tree = manager({ all: rules("post", only("10.1.0.5")), branch: rules("pre", rule("open", "allow")) });
    expect((await cleaned(tree, { scope: ALL })).removed).toEqual([]);
    const both = manager({
      all: rules("post", only("10.1.0.5")),
      branch: rules("pre", rule("open", "allow")),
      plants: rules("pre", rule("open too", "allow")),
    });
    expect((await cleaned(both, { scope: ALL })).removed).toEqual([`${ALL} remove only 10.1.0.5: shadowed`]);
  });

  it("keeps a rule that has an effect on one of the firewalls of a group", async () => {
    const tree = manager({ branch: rules("pre", rule("open b", "allow", {}, TARGET_B), only("10.1.0.5")) });
    expect((await cleaned(tree)).removed).toEqual([]);
  });

  it("removes rules of child groups below the same rule of a parent group, which then stays", async () => {
    const tree = manager({
      all: rules("pre", only("10.1.0.5")),
      branch: rules("pre", rule("also", "allow", { source: ["10.1.0.5"] })),
      plants: rules("pre", rule("too", "allow", { source: ["10.1.0.5"] })),
    });
    const { removed, was, is } = await cleaned(tree);
    expect(removed).toEqual([`${BRANCH} remove also: shadowed`, "device-group/plants remove too: shadowed"]);
    expect(is).toEqual(was);
  });

  it("keeps a pre-rule that a post-rule replaces if local rules between them were not read, and says so", async () => {
    const groups = { branch: rules("pre", only("10.1.0.5")) + rules("post", rule("rest", "allow")) };
    expect((await cleaned(manager(groups))).removed).toEqual([`${BRANCH} remove only 10.1.0.5: redundant`]);
    const { removed, reportOf } = await cleaned(manager(groups, { b: "unread" }));
    expect(removed).toEqual([]);
    expect(reportOf(BRANCH)?.notes.join("\n")).toContain(
      "Not checked on fw-b: The firewalls' own rules are between these pre-rules and post-rules and were not read.",
    );
  });

  it("keeps a pre-rule that a post-rule replaces if a local rule between them decides otherwise", async () => {
    const groups = { branch: rules("pre", only("10.1.0.5")) + rules("post", rule("rest", "allow")) };
    const local = `<rulebase><security><rules>${rule("no", "deny")}</rules></security></rulebase>`;
    expect((await cleaned(manager(groups, { b: local }))).removed).not.toContain(`${BRANCH} remove only 10.1.0.5: redundant`);
  });

  it("removes rules of shared that have no effect on any firewall", async () => {
    const tree = manager({
      shared: rules("pre", only("10.1.0.0/24"), only("10.1.0.6")) + rules("post", only("10.1.1.1"), only("10.3.0.1")),
      branch: rules("pre", only("10.1.1.1")),
    });
    const { removed, reportOf, was, is } = await cleaned(tree, { scope: "shared" });
    expect(removed).toEqual(["shared remove only 10.1.0.6: shadowed"]);
    expect(reportOf("shared")?.notes).toEqual(["Rules of shared apply to fw-a, fw-b, fw-c."]);
    expect(is).toEqual(was);
  });

  it("keeps rules that no document declares", async () => {
    const tree = manager({ shared: rules("pre", rule("open", "allow"), only("10.1.0.6")), branch: rules("pre", only("10.1.0.5")) });
    const { removed, reportOf } = await cleaned(tree, { declared: manager({ branch: rules("pre") }) });
    expect(removed).toEqual([]);
    expect(reportOf("shared")?.kept).toEqual([{ rule: "only 10.1.0.6", kind: "shadowed", reason: "no document declares it" }]);
    expect(reportOf(BRANCH)?.kept).toEqual([{ rule: "only 10.1.0.5", kind: "shadowed", reason: "no document declares it" }]);
  });

  it("removes ended rules and members of a group, and shows the flows that close on its firewalls", async () => {
    const until = (words: string) => `<description>CHG-1 [until 2026-11-01${words}]</description>`;
    const group = `<address-group>${entry("pair", members("static", ["10.1.0.5", "10.1.0.6"]) + until(" for static 10.1.0.6"))}</address-group>`;
    const ended = rule("ended", "allow", { source: ["10.3.0.1"] }, until(""));
    const member = rule("member", "allow", { source: ["10.4.0.1", "10.4.0.2"] }, until(" for source 10.4.0.2"));
    const paired = rule("paired", "allow", { source: ["pair"], destination: ["10.2.0.9"] });
    const { removed, reportOf, was, is } = await cleaned(manager({ branch: group + rules("pre", ended, paired) + rules("post", member) }));
    expect(removed).toEqual([
      `${BRANCH} remove ended: expired`,
      `${BRANCH} remove-member static of address group pair: expired`,
      `${BRANCH} remove-member member: expired`,
    ]);
    expect(JSON.stringify(reportOf(BRANCH)?.effect.closed)).toMatch(/10\.3\.0\.1.*10\.4\.0\.2|10\.4\.0\.2.*10\.3\.0\.1/);
    expect(reportOf(BRANCH)?.effect.opened).toEqual([]);
    expect(is[2]).toEqual(was[2]);
    expect(is[0]).not.toEqual(was[0]);
  });

  describe("that are not used", () => {
    const SINCE = 1_000;
    const tree = manager({
      all: rules("pre", only("10.9.0.1")),
      branch:
        rules("pre", only("10.1.0.5"), rule("of b", "allow", { source: ["10.1.0.6"] }, TARGET_B)) + rules("post", rule("stop", "deny")),
      shared: rules("post", rule("rest", "allow")),
    });
    const hit = (serial: string, level: "pre" | "post", name: string, last?: number, since: number | undefined = 0): FirewallRuleHits => ({
      ...{ serial, vsys: "vsys1", level, rule: name, count: last === undefined ? 0 : 1, last, since },
    });
    const all = (name: string, level: "pre" | "post" = "pre") => ["a", "b", "c"].map((serial) => hit(serial, level, name));
    const unusedIn = async (hits: readonly FirewallRuleHits[], scope: string, more = {}) =>
      await cleaned(tree, { scope, unused: { since: SINCE }, hits, ...more });

    it("are removed if every firewall that has them counted them for the complete time", async () => {
      const { removed, reportOf } = await unusedIn([...all("only 10.1.0.5"), hit("b", "pre", "of b")], BRANCH);
      expect(removed).toEqual([`${BRANCH} remove only 10.1.0.5: unused`, `${BRANCH} remove of b: unused`]);
      expect(reportOf(BRANCH)?.notes).toContain("Not counted for long enough on all firewalls: stop.");
      expect(JSON.stringify(reportOf(BRANCH)?.effect.closed)).toContain("10.1.0.5");
    });

    it.each([
      ["a firewall used them", [hit("a", "pre", "only 10.1.0.5"), hit("b", "pre", "only 10.1.0.5", SINCE)]],
      ["the count of a firewall is missing", [hit("a", "pre", "only 10.1.0.5")]],
      ["the count of a firewall is too young", [hit("a", "pre", "only 10.1.0.5"), hit("b", "pre", "only 10.1.0.5", undefined, SINCE + 1)]],
      [
        "the count of a firewall cannot be read",
        [hit("a", "pre", "only 10.1.0.5"), { ...hit("b", "pre", "only 10.1.0.5"), count: undefined }],
      ],
      ["the count is that of another rulebase", all("only 10.1.0.5", "post")],
    ])("stay if %s", async (_, hits) => {
      expect((await unusedIn(hits, BRANCH)).removed).toEqual([]);
    });

    it("stay in a parent group if a firewall of one child group used them", async () => {
      const parents = [...all("only 10.9.0.1").slice(0, 2), hit("c", "pre", "only 10.9.0.1", SINCE + 5)];
      expect((await unusedIn(parents, ALL)).removed).toEqual([]);
      expect((await unusedIn(all("only 10.9.0.1"), ALL)).removed).toEqual([`${ALL} remove only 10.9.0.1: unused`]);
    });

    it("stay if they deny flows that a rule below allows, or if the manager has no counters", async () => {
      const denied = await unusedIn(all("stop", "post"), BRANCH);
      expect(denied.reportOf(BRANCH)?.kept).toContainEqual({
        ...{ rule: "stop", kind: "unused" },
        reason: "its removal opens flows: accept this with --accept-excess",
      });
      const { removed, reportOf } = await cleaned(tree, { scope: BRANCH, unused: { since: SINCE } });
      expect(removed).toEqual([]);
      expect(reportOf(BRANCH)?.notes.join()).toContain(`The use of the rules of ${BRANCH} is unknown: manager has no counters for them.`);
    });
  });

  it("removes nothing if it is not known what one of the firewalls receives", async () => {
    const tree = manager({ branch: rules("pre", rule("open", "allow"), only("10.1.0.5")) });
    const plants = find(tree, parsePath("/config/devices/entry[@name='localhost.localdomain']/device-group/entry[@name='plants']/devices"));
    const b = find(
      tree,
      parsePath("/config/devices/entry[@name='localhost.localdomain']/device-group/entry[@name='branch']/devices/entry[@name='b']"),
    );
    if (plants !== undefined) plants.children = [...plants.children, b as TreeNode];
    const { rulebases, edits } = await cleanUpAll(baseOf(tree, undefined), { ...QUESTION, scope: undefined });
    expect(edits).toEqual([]);
    for (const { notes } of rulebases)
      expect(notes).toEqual([
        "No rule is removed, because it is not known what all firewalls receive. fw-b: it is in several device groups: branch, plants.",
      ]);
  });
});
