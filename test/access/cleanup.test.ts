import { expect, it } from "vitest";
import { idleTogether, openingCheck } from "../../src/access/cleanup.js";
import { parseXml } from "../../src/core/tree/xml/parse.js";
import type { Policy } from "../../src/reachability/flows/policy.js";
import { policiesOf } from "../../src/targets/panos/policy/policies.js";

const list = (tag: string, text: string) => `<${tag}><member>${text}</member></${tag}>`;
const rule = (name: string, source: string, action: string, log: string) =>
  `<entry name="${name}">${["from", "to", "destination", "application", "service"].map((tag) => list(tag, "any")).join("")}${list("source", source)}<action>${action}</action><log-setting>${log}</log-setting></entry>`;

/** The policy of a firewall. `settings`: the content of its `deviceconfig`. */
function policyWith(settings: string, ...rules: readonly string[]) {
  const system = `<zone><entry name="a"/><entry name="b"/></zone><rulebase><security><rules>${rules.join("")}</rules></security></rulebase>`;
  const device = `<entry name="localhost.localdomain"><deviceconfig>${settings}</deviceconfig><vsys><entry name="vsys1">${system}</entry></vsys></entry>`;
  const [policy] = policiesOf([parseXml(`<config><shared/><devices>${device}</devices></config>`)])[0] ?? [];
  if (policy === undefined) throw new Error("a virtual system has a policy");
  return policy;
}

const policyOf = (...rules: readonly string[]) => policyWith("", ...rules);

const names = (rules: readonly { readonly key: { readonly name: string } }[]) => rules.map(({ key }) => key.name);

it("keeps a deny rule if denied flows would get other logs without it", () => {
  const policy = policyOf(
    rule("one", "10.0.0.1", "deny", "siem"),
    rule("two", "10.0.0.1", "deny", "siem"),
    rule("rest", "any", "deny", "local"),
  );
  const { idle, needed } = idleTogether([policy], () => true);
  expect(names(idle.map((each) => each.rule))).toEqual(["two"]);
  expect(names(needed)).toEqual(["one"]);
});

it("removes all rules of which one broader rule gives the same result", () => {
  const narrow = Array.from({ length: 5 }, (_, at) => rule(`r${at}`, `10.0.0.${at}`, "allow", "siem"));
  const { idle, needed } = idleTogether([policyOf(...narrow, rule("all", "10.0.0.0/24", "allow", "siem"))], () => true);
  expect(names(idle.map((each) => each.rule))).toEqual(["r0", "r1", "r2", "r3", "r4"]);
  expect(needed).toEqual([]);
});

it("keeps rules that only rules below unread ones replace, and removes shadowed rules", () => {
  const policy = policyOf(
    rule("net", "10.0.0.0/24", "allow", "siem"),
    rule("host", "10.0.0.1", "allow", "siem"),
    rule("rest", "any", "allow", "siem"),
    rule("last", "10.0.0.2", "deny", "siem"),
  );
  const found = (unread: typeof policy.unread) =>
    idleTogether([{ ...policy, unread }], () => true).idle.map((each) => `${each.rule.key.name} ${each.kind}`);
  expect(found(undefined)).toEqual(["net redundant", "host shadowed", "last shadowed"]);
  expect(found({ at: 2, text: "Not read." })).toEqual(["host shadowed", "last shadowed"]);
});

it("keeps a rule that only default rules replace if a manager pushes rules above these that were not read", () => {
  const silent = rule("silent", "any", "deny", "")
    .replace(list("from", "any"), list("from", "a"))
    .replace(list("to", "any"), list("to", "b"));
  const unlogged = silent.replace("<log-setting></log-setting>", "<log-end>no</log-end>");
  const found = (settings: string) => names(idleTogether([policyWith(settings, unlogged)], () => true).idle.map((each) => each.rule));
  expect(found("")).toEqual(["silent"]);
  expect(found("<system><panorama><local-panorama/></panorama></system>")).toEqual([]);
});

it("removes only rules without effect in all policies that contain them", () => {
  const host = rule("host", "10.0.0.1", "allow", "siem");
  const [one, other] = [policyOf(rule("net", "10.0.0.0/24", "allow", "siem"), host), policyOf(host)];
  const found = (...policies: readonly Policy[]) => names(idleTogether(policies, () => true).idle.map((each) => each.rule));
  expect(found(one)).toEqual(["host"]);
  expect(found(one, other)).toEqual([]);
  expect(found(one, policyOf(rule("rest", "any", "deny", "local")))).toEqual(["host"]);
});

it("finds the deny rules whose removal opens flows", () => {
  const policy = policyOf(
    rule("closes", "10.0.0.1", "deny", "siem"),
    rule("net", "10.0.0.0/24", "allow", "siem"),
    rule("covered", "10.0.0.2", "deny", "siem"),
    rule("outside", "10.1.0.1", "deny", "siem"),
    rule("rest", "any", "deny", "local"),
  );
  const denying = policy.rules.filter(({ verdict, key }) => verdict !== "allow" && key.level !== "default");
  const opens = openingCheck(policy);
  // Without "rest", the default rule allows flows inside a zone.
  expect(names(denying.filter((each) => opens(each)))).toEqual(["closes", "rest"]);
});
