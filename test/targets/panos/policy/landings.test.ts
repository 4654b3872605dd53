import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { parseXml } from "../../../../src/core/tree/xml/parse.js";
import type { ScopeInsight } from "../../../../src/outcome/insight.js";
import { insightWithLandings } from "../../../../src/reachability/changes/landing-insight.js";
import { rulebasesOf } from "../../../../src/targets/panos/policy/policies.js";

const [BEFORE, AFTER] = ["before", "after"].map((name) =>
  readFileSync(`test/cases/insight/only-a-nat-rule-changes/${name}.xml`, "utf8"),
) as [string, string];

async function between(before: string, after: string): Promise<ScopeInsight> {
  const [rulebase] = rulebasesOf([parseXml(before), parseXml(after)]);
  const [one, other] = rulebase?.policies() ?? [];
  const stage = await rulebase?.landings?.(true);
  if (one === undefined || other === undefined || stage === undefined || stage === "unread") throw new Error("routes are known");
  return insightWithLandings(stage, [one, other]);
}

type Edit = (xml: string) => string;

const OSPF: Edit = (xml) => xml.replace("<routing-table>", "<protocol><ospf><enable>yes</enable></ospf></protocol><routing-table>");
const UNSURE: readonly (readonly [name: string, edit: Edit, doubt: string])[] = [
  ["routes are learned", OSPF, "ospf of default may have routes"],
  [
    "an interface has its address by DHCP",
    (xml) =>
      xml.replace(
        "</ethernet>",
        '<entry name="ethernet1/9"><layer3><dhcp-client><enable>yes</enable></dhcp-client></layer3></entry></ethernet>',
      ),
    "ethernet1/9 by DHCP",
  ],
  [
    "a route is watched",
    (xml) => xml.replace("</destination><nexthop>", "</destination><path-monitor><enable>yes</enable></path-monitor><nexthop>"),
    'the monitored route "default" is up',
  ],
  [
    "rules of policy-based forwarding stand before routes",
    (xml) => xml.replace("<nat>", '<pbf><rules><entry name="elsewhere"/></rules></pbf><nat>'),
    "may send flows elsewhere: elsewhere",
  ],
  [
    "a zone is of no router",
    (xml) => xml.replace("<member>ethernet1/2</member></layer3>", "<member>ethernet1/2</member><member>ethernet1/8</member></layer3>"),
    "not followed: web",
  ],
  [
    "a translation works both ways",
    (xml) =>
      xml.replace(
        "<nat><rules>",
        '<nat><rules><entry name="both"><source><member>10.9.0.9</member></source><source-translation><static-ip><translated-address>203.0.113.9</translated-address><bi-directional>yes</bi-directional></static-ip></source-translation></entry>',
      ),
    "the reverse rules",
  ],
];

it("is exact if the configuration contains everything", async () => {
  expect(await between(BEFORE, AFTER)).toMatchObject({ exact: true, doubts: [], undecided: [], rows: [{ change: "redirected" }] });
});

it.each(UNSURE)("is not exact, with a reason, if %s", async (_, edit, doubt) => {
  const { exact, doubts } = await between(edit(BEFORE), edit(AFTER));
  expect([edit(BEFORE) === BEFORE, exact, doubts.some((text) => text.toLowerCase().includes(doubt.toLowerCase()))]).toEqual([
    false,
    false,
    true,
  ]);
});

it("does not treat routes as unchanged that a router starts to learn, or learns with other settings", async () => {
  const sentence = expect.stringContaining("the source and destination zones of an address may differ");
  expect(await between(BEFORE, OSPF(BEFORE))).toMatchObject({ exact: false, doubts: expect.arrayContaining([sentence]) });
  const other = OSPF(BEFORE).replace("<enable>yes</enable></ospf>", "<enable>yes</enable><router-id>192.0.2.1</router-id></ospf>");
  expect(await between(OSPF(BEFORE), other)).toMatchObject({ exact: false, doubts: expect.arrayContaining([sentence]) });
});

it("reports no change if a rule, a name or a route is written differently with equal meaning", async () => {
  const written: readonly Edit[] = [
    (xml) => xml.replace('<entry name="publish-web">', '<entry name="publish-web"><description>the web</description>'),
    (xml) => xml.replace('<entry name="default"><destination>', '<entry name="default"><metric>20</metric><destination>'),
    (xml) => xml.replace("<ip-netmask>10.1.0.11<", "<ip-netmask>10.1.0.11/32<"),
  ];
  for (const edit of written) {
    expect(edit(BEFORE)).not.toBe(BEFORE);
    expect(await between(BEFORE, edit(BEFORE))).toMatchObject({ exact: true, rows: [], doubts: [], undecided: [] });
  }
});

it("describes the change if there are more routes than the comparison covers", async () => {
  const routes = Array.from(
    { length: 3300 },
    (_, n) => `<entry name="r${n}"><destination>172.16.${n >> 7}.${(2 * n) & 255}/32</destination><nexthop><discard/></nexthop></entry>`,
  );
  const many: Edit = (xml) => xml.replace("<static-route>", `<static-route>${routes.join("")}`);
  const { exact, rows, doubts } = await between(many(BEFORE), many(AFTER));
  expect([exact, rows]).toEqual([false, []]);
  expect(doubts).toEqual(
    expect.arrayContaining([expect.stringContaining("publish-web"), expect.stringContaining("more routes than are compared")]),
  );
});
