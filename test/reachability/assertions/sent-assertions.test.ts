import { beforeEach, describe, expect, it } from "vitest";
import { Path } from "../../../src/core/tree/path.js";
import { parseXml } from "../../../src/core/tree/xml/parse.js";
import { parsePath } from "../../../src/core/tree/xpath/xpath.js";
import { type FlowAssertion, flowsTo } from "../../../src/desired/assertions.js";
import { SourceMap } from "../../../src/desired/source-map.js";
import { outcomeCode, type TargetOutcome } from "../../../src/outcome/outcome.js";
import { judgeSent } from "../../../src/reachability/assertions/sent-assertions.js";
import type { FlowSet, Policy } from "../../../src/reachability/flows/policy.js";
import { VSYS } from "../../engine/apply/scenes.js";
import { World } from "../../engine/apply/world.js";

const list = (tag: string, ...members: string[]) => `<${tag}>${members.map((each) => `<member>${each}</member>`).join("")}</${tag}>`;
const layer3 = (name: string, address: string) => `<entry name='${name}'><layer3><ip><entry name='${address}'/></ip></layer3></entry>`;
const zone = (name: string, port: string) => `<entry name='${name}'><network>${list("layer3", port)}</network></entry>`;
const address = (name: string, text: string) => `<entry name='${name}'><ip-netmask>${text}</ip-netmask></entry>`;
const sent = (name: string, source: string, to: string) =>
  `<entry name='${name}'>${list("from", "untrust")}${list("to", "untrust")}${list("source", source)}${list("destination", "203.0.113.10")}<service>any</service><destination-translation><translated-address>${to}</translated-address></destination-translation></entry>`;

/** A web server behind NAT. A partner with an FQDN is translated to another server if that rule is first. */
const live = (nat: string, service: string): string =>
  [
    "<config><devices><entry name='localhost.localdomain'>",
    `<network><interface><ethernet>${layer3("ethernet1/1", "203.0.113.1/24")}${layer3("ethernet1/3", "10.1.0.1/24")}</ethernet></interface>`,
    `<virtual-router><entry name='default'>${list("interface", "ethernet1/1", "ethernet1/3")}<routing-table><ip><static-route>`,
    "<entry name='out'><destination>0.0.0.0/0</destination><interface>ethernet1/1</interface><nexthop><ip-address>203.0.113.254</ip-address></nexthop></entry>",
    "</static-route></ip></routing-table></entry></virtual-router></network>",
    `<vsys><entry name='vsys1'><zone>${zone("untrust", "ethernet1/1")}${zone("dmz", "ethernet1/3")}</zone>`,
    `<address>${address("web-01", "10.1.0.11")}${address("web-02", "10.1.0.12")}<entry name='partner'><fqdn>partner.example.org</fqdn></entry></address>`,
    `<rulebase><nat><rules>${nat}</rules></nat><security><rules>`,
    `<entry name='web'>${list("from", "untrust")}${list("to", "dmz")}${list("source", "any")}${list("destination", "203.0.113.10")}${list("application", "any")}${list("service", service)}<action>allow</action></entry>`,
    "</rules></security></rulebase></entry></vsys></entry></devices><shared></shared></config>",
  ].join("");

const DOCUMENT = `target: edge
scope: vsys1
assert:
  - name: web-is-up
    verdict: allow
    source: [192.0.2.77]
    destination: [203.0.113.10]
    to: [dmz]
    service: [tcp/443]
    reaches: [web-01]
`;
const SENT_ELSEWHERE = `config:
  rulebase:
    nat:
      rules:
        $entries:
          - { name: web-in, $partial: true, destination-translation: { translated-address: web-02 } }
`;

let world: World;
const on = (nat: string, service = "any"): World => {
  world = new World(live(nat, service));
  world.want(DOCUMENT);
  return world;
};
beforeEach(() => on(sent("web-in", "any", "web-01")));

const said = ({ assertions = [] }: TargetOutcome): unknown[] =>
  assertions.map(({ state, before, isByChange, why, witness }) => [state, before, isByChange, why, witness?.rule.name]);

const EVERYTHING: FlowSet = {
  zones: { type: "universal", from: "any", to: "any" },
  source: "any",
  destination: "any",
  traffic: [{ applications: "any", services: "any" }],
  users: "any",
  conditions: [],
};
const WEB = { id: "web-01", name: "web-01", values: [{ first: 0x0a01000bn, last: 0x0a01000bn }], members: [], unknowns: [] };
const ASSERTED: FlowAssertion = {
  name: "web-is-up",
  description: undefined,
  strict: false,
  place: Path.root,
  origin: 0,
  verdict: "allow",
  some: false,
  flows: flowsTo(["203.0.113.10"]),
  except: [],
  reaches: ["web-01"],
  acceptsUnknowns: undefined,
};

describe("an assertion about the final destination", () => {
  it("holds if routes, NAT and rules lead there", async () => {
    const outcome = await world.plan();
    expect(said(outcome)).toEqual([["holds", "holds", false, [], undefined]]);
    expect(outcomeCode(outcome)).toBe(0);
  });

  it("refuses a plan that leads elsewhere, before a write", async () => {
    world.want(DOCUMENT + SENT_ELSEWHERE);
    const outcome = await world.reconcile();
    expect(outcome.error).toMatchObject({ code: "plan-refused", message: expect.stringContaining("web-is-up") });
    const why = ["It comes to 10.1.0.12, by NAT rule web-in, and not to web-01."];
    expect(said(outcome)).toEqual([["broken", "holds", true, why, undefined]]);
    expect(world.device.events.map(({ kind }) => kind)).toEqual(["lock", "unlock"]);
  });

  it("is broken by a security rule that stops it after NAT", async () => {
    const outcome = await on(sent("web-in", "any", "web-01"), "service-http").plan();
    expect(said(outcome)).toEqual([["broken", "broken", false, [], "interzone-default"]]);
  });

  it("is broken by a manual redirection", async () => {
    const own = SENT_ELSEWHERE.replace("web-02", "web-01").replace("$partial", "description: ours, $partial");
    world.want(DOCUMENT + own);
    expect((await world.reconcile()).error).toBeUndefined();
    const place = `${VSYS}/rulebase/nat/rules/entry[@name='web-in']/destination-translation`;
    const elsewhere = "<translated-address>web-02</translated-address>";
    world.device.write("mkovacs", [{ action: "set", at: parsePath(place), element: parseXml(Buffer.from(elsewhere)) }]);
    world.device.commit("mkovacs", "by hand", false);
    const why = ["It comes to 10.1.0.12, by NAT rule web-in, and not to web-01."];
    expect(said(await world.drift())).toEqual([["broken", "holds", true, why, undefined]]);
  });

  it("is unknown if an unread name decides the destination", async () => {
    const outcome = await on(sent("partner-in", "partner", "web-02") + sent("web-in", "any", "web-01")).plan();
    expect(said(outcome)).toMatchObject([
      ["unknown", "unknown", false, [expect.stringContaining("10.1.0.12"), expect.stringContaining("partner")], undefined],
    ]);
    expect(outcomeCode(outcome)).toBe(0);
  });

  it("is broken without a route, and matches nothing with empty names", async () => {
    expect(said(await on("").plan())).toMatchObject([["broken", "broken", false, [expect.stringContaining("203.0.113.10")], undefined]]);
    world.want(DOCUMENT.replace("web-01", "web-09"));
    expect(said(await world.plan())).toMatchObject([["empty", "empty", false, [expect.stringContaining("web-09")], undefined]]);
    world.want(DOCUMENT.replace("vsys1", "vsys7"));
    expect(said(await world.plan())).toMatchObject([["empty", "empty", false, ['There is no rulebase "vsys7".'], undefined]]);
  });

  it("of a new firewall is evaluated with its new configuration, and matches nothing without it", () => {
    const there = { reaches: "10.1.0.11", to: { zone: "dmz" }, conditions: [] };
    const rulebase = {
      scope: "branch",
      within: ["branch"],
      isSame: false,
      isThere: [false, true],
      size: 0,
      policies: () => [],
      flows: (): FlowSet => ({ ...EVERYTHING, destination: { negated: false, objects: [WEB] } }),
      ways: (version: number) => (version === 0 ? [] : [there]),
    };
    const policy: Policy = { scope: "branch", zones: [], otherZones: true, rules: [], otherwise: "allow", limits: [] };
    const judged = (...policies: (Policy | undefined)[]) => judgeSent(rulebase, policies, ASSERTED, new SourceMap());
    expect(judged(undefined, policy)).toMatchObject({ state: "holds", before: "empty", isByChange: false });
    expect(judged(policy, policy)).toMatchObject({ state: "holds", before: "empty" });
  });

  it("is evaluated under the lock with interfaces and routes, too", async () => {
    world.want(`${DOCUMENT}config: { address: { web-03: { ip-netmask: 10.1.0.13 } } }\n`);
    const router = parsePath(
      "/config/devices/entry[@name='localhost.localdomain']/network/virtual-router/entry[@name='default']/routing-table/ip/static-route",
    );
    const astray =
      "<entry name='astray'><destination>10.1.0.11/32</destination><interface>ethernet1/1</interface><nexthop><ip-address>203.0.113.9</ip-address></nexthop></entry>";
    const outcome = await world.reconcile({
      observer: {
        before(step) {
          if (step !== "lock") return;
          world.device.write("mkovacs", [{ action: "set", at: router, element: parseXml(Buffer.from(astray)) }]);
          world.device.commit("mkovacs", "by hand", false);
        },
        after: () => undefined,
      },
    });
    expect(said(outcome)).toEqual([["broken", "broken", false, ["It leaves to untrust, and not to dmz."], undefined]]);
    expect(outcomeCode(outcome)).toBe(0);
  });
});
