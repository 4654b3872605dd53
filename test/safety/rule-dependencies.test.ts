import { expect, it } from "vitest";
import { parseXml } from "../../src/core/tree/xml/parse.js";
import type { ScopeInsight } from "../../src/outcome/insight.js";
import { insightBetween } from "../../src/reachability/changes/format-difference.js";
import { policiesOf } from "../../src/targets/panos/policy/policies.js";
import { panosPolicies } from "../../src/targets/panos/policy-role.js";
import { deviceEntry } from "../../src/targets/panos/scope.js";

// A definition outside the rulebase that a rule depends on never changes without a row or a doubt.

const list = (tag: string, ...members: string[]) => `<${tag}>${members.map((text) => `<member>${text}</member>`).join("")}</${tag}>`;
const host = (last: number, tag = "") =>
  `<entry name="h${last}"><ip-netmask>10.0.0.${last}</ip-netmask>${tag === "" ? "" : list("tag", tag)}</entry>`;
const rule = (source: string, user: string) =>
  `<rulebase><security><rules><entry name="r">${list("from", "a")}${list("to", "b")}${list("source", source)}${list("destination", "any")}` +
  `${list("source-user", user)}${list("application", "any")}${list("service", "any")}<action>allow</action></entry></rules></security></rulebase>`;

interface Parts {
  readonly zone?: string;
  readonly inner?: string;
  readonly settings?: string;
  readonly source?: string;
  readonly user?: string;
}

const firewall = ({ zone = "", inner = "", settings = "", source = "any", user = "any" }: Parts) =>
  parseXml(
    `<config><shared/><devices><entry name="localhost.localdomain"><deviceconfig><setting><session>${settings}</session></setting></deviceconfig><vsys><entry name="vsys1">` +
      `<zone><entry name="a">${zone}</entry><entry name="b"/></zone>${inner}${rule(source, user)}</entry></vsys></entry></devices></config>`,
  );

function between(before: Parts, after: Parts): ScopeInsight {
  const [[one] = [], [other] = []] = policiesOf([firewall(before), firewall(after)]);
  if (one === undefined || other === undefined) throw new Error("both versions have a policy");
  return insightBetween(one, other);
}

const groups = (filter: string, members: string[], objects: string) =>
  `<address>${objects}</address><address-group><entry name="dynamic"><dynamic><filter>${filter}</filter></dynamic></entry>` +
  `<entry name="tagged">${list("static", ...members)}${list("tag", "office")}</entry></address-group>`;

it("follows a tagged static group into a dynamic group", () => {
  const objects = host(1) + host(2);
  const { rows } = between(
    { source: "dynamic", inner: groups("'office'", ["h1"], objects) },
    { source: "dynamic", inner: groups("'office'", ["h1", "h2"], objects) },
  );
  expect(rows.map(({ change, flows }) => [change, flows.map(({ source }) => source)])).toEqual([["opened", ["h2 (10.0.0.2)"]]]);
});

it.each([
  ["a host that gains a tag", host(1) + host(2), host(1) + host(2, "guest")],
  ["a host that changes its address", host(1), host(1).replace("10.0.0.1", "10.0.0.9")],
])("reports that a filter with not may hold other addresses by %s", (_, before, after) => {
  const of = (objects: string) => ({ source: "dynamic", inner: groups("not 'guest'", ["h1"], objects) });
  const { rows } = between(of(before), of(after));
  expect(rows.length).toBeGreaterThan(0);
  expect(rows.every(({ conditions }) => conditions.length > 0)).toBe(true);
});

const USERS: readonly (readonly [string, Parts, string])[] = [
  ["user identification of a zone", { zone: "<enable-user-identification>yes</enable-user-identification>" }, "zone a"],
  ["the user ACL of a zone", { zone: `<user-acl>${list("include-list", "10.0.0.0/8")}</user-acl>` }, "zone a"],
  [
    "a dynamic user group",
    { inner: '<dynamic-user-group><entry name="g"><filter>x</filter></entry></dynamic-user-group>' },
    "dynamic-user-group",
  ],
  [
    "a local user group",
    { inner: '<local-user-database><user-group><entry name="g"/></user-group></local-user-database>' },
    "local-user-database",
  ],
  [
    "a group mapping",
    { inner: '<group-mapping><entry name="g"><server-profile>p</server-profile></entry></group-mapping>' },
    "group-mapping",
  ],
];

it.each(USERS)("is not known exactly if %s changes", (_, parts, words) => {
  const named = between({ user: "admins" }, { ...parts, user: "admins" });
  expect([named.exact, named.doubts.join()]).toEqual([false, expect.stringContaining(words)]);
  expect(between({}, parts).exact).toBe(true);
});

it("is not known exactly if IPv6 is switched", () => {
  const { exact, doubts } = between({}, { settings: "<ipv6-firewalling>yes</ipv6-firewalling>" });
  expect([exact, doubts.join()]).toEqual([false, expect.stringContaining("ipv6-firewalling")]);
});

it.each([
  "vsys/entry/dynamic-user-group/entry",
  "vsys/entry/local-user-database/user-group/entry",
  "vsys/entry/group-mapping/entry",
  "vsys/entry/zone/entry/user-acl",
  "deviceconfig/setting/session/ipv6-firewalling",
])("a change of %s is judged at all", (place) => {
  const path = place.split("/").reduce((at, tag) => (tag === "entry" ? at.entry("x") : at.child(tag)), deviceEntry);
  expect(panosPolicies.concerns(path)).toBe(true);
});

const listed = (
  url: string,
  name: string,
) => `<external-list><entry name="bad"><type><domain><url>${url}</url></domain></type></entry></external-list>
  <profiles><spyware><entry name="strict"><botnet-domains><lists><entry name="${name}"/></lists></botnet-domains></entry></spyware></profiles>`;
it("is not known exactly if an external list that only a security profile names changes", () => {
  const withProfile = (inner: string) =>
    parseXml(
      `<config><shared/><devices><entry name="localhost.localdomain"><vsys><entry name="vsys1"><zone><entry name="a"/><entry name="b"/></zone>${inner}` +
        `${rule("any", "any").replace("<action>", `<profile-setting><profiles>${list("spyware", "strict")}</profiles></profile-setting><action>`)}</entry></vsys></entry></devices></config>`,
    );
  const doubtsOf = (one: string, other: string) => {
    const [[before] = [], [after] = []] = policiesOf([withProfile(one), withProfile(other)]);
    if (before === undefined || after === undefined) throw new Error("both versions have a policy");
    return insightBetween(before, after).doubts;
  };
  const [old, next] = ["https://a.example/list", "https://b.example/list"];
  expect(doubtsOf(listed(old, "bad"), listed(next, "bad")).join()).toContain("Security profiles change (external list bad)");
  expect(doubtsOf(listed(old, "other"), listed(next, "other"))).toEqual([]);
});
