import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { parseXml } from "../../../../src/core/tree/xml/parse.js";
import { readFlows } from "../../../../src/lab/panos/traffic/flow.js";
import { judge } from "../../../../src/lab/panos/traffic/judge.js";
import { NOTHING_KNOWN, type World } from "../../../../src/lab/panos/traffic/world.js";
import { ADDRESS, admin, type Client, find, RULES } from "../support.js";

const WEB = { from: "untrust", to: "trust", source: "203.0.113.9", destination: "10.0.0.10", application: "web-browsing", port: 80 };

/** Log records of flows, without the initial samples. */
async function logOf(
  client: Client,
  type: string,
  advance: () => void,
  query = "( src eq '203.0.113.9' )",
): Promise<Record<string, string>[]> {
  const created = await client.send({ type: "log", "log-type": type, query, nlogs: "100", dir: "forward" });
  advance();
  const reply = await client.send({ type: "log", action: "get", "job-id": find(created.root, "result", "job")?.text ?? "" });
  const entries = find(reply.root, "result", "log", "logs")?.children ?? [];
  return entries.map((entry) => Object.fromEntries(entry.children.map((field) => [field.tag, field.text])));
}

describe("traffic through a lab firewall", () => {
  it("is logged according to the running configuration, with the time of the device", async () => {
    const { client, clock } = await admin({ traffic: { flows: [{ ...WEB, every: 60_000 }] } });
    clock.advance(60_000);
    const log = await logOf(client, "traffic", () => clock.advance(1000));
    expect(log.map(({ receive_time }) => receive_time)).toEqual(["2026/01/05 08:00:00", "2026/01/05 08:01:00"]);
    expect(log[0]).toMatchObject({ type: "TRAFFIC", rule: "allow-web", action: "allow", app: "web-browsing", dport: "80", proto: "tcp" });
    expect(log[0]).toMatchObject({ rule_uuid: "3f6f0a52-4d6e-4f6b-8b43-0e2a3a0f0001", session_end_reason: "tcp-fin" });
  });

  it("follows a change once it is committed, not before, and names the blocking rule", async () => {
    const { client, clock } = await admin({ traffic: { flows: [{ ...WEB, every: 10_000 }] } });
    await client.config("set", `${RULES}/entry[@name='allow-web']`, "<action>drop</action>");
    clock.advance(10_000);
    expect(client.state.traffic.records("TRAFFIC").map((record) => record.get("action"))).toEqual(["allow", "allow"]);
    await client.commit();
    clock.advance(10_000);
    const log = await logOf(client, "traffic", () => clock.advance(1000), "( action neq allow ) and ( src eq '203.0.113.9' )");
    expect(log).toHaveLength(1);
    expect(log[0]).toMatchObject({ rule: "allow-web", action: "drop", app: "not-applicable", session_end_reason: "policy-deny" });
  });

  it("is controlled by the lab's control interface", async () => {
    const { lab, client, clock } = await admin();
    const control = async (method: string, body?: unknown): Promise<unknown> => {
      const reply = await fetch(`${lab.device.plainUrl}/lab/flows`, {
        method,
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      return reply.json();
    };
    expect(await control("POST", WEB)).toMatchObject([{ ...WEB, judgement: { rule: "allow-web", action: "allow" } }]);
    expect(await control("POST", { ...WEB, source: "somebody" })).toMatchObject({ error: expect.stringContaining("addresses") });
    expect(await control("DELETE")).toEqual({ ok: true });
    clock.advance(60_000);
    expect(client.state.traffic.records("TRAFFIC")).toHaveLength(1);
    expect(await control("GET")).toEqual([]);
  });

  it("triggers threats if the rule has profiles, and not otherwise", async () => {
    const threat = { id: "Example(4711)", severity: "high" } as const;
    const { client, clock } = await admin({ traffic: { flows: [{ ...WEB, every: 10_000, threat }] } });
    expect(client.state.traffic.records("THREAT")).toEqual([]);
    const profile = "<profile-setting><profiles><vulnerability><member>strict</member></vulnerability></profiles></profile-setting>";
    expect((await client.config("set", `${RULES}/entry[@name='allow-web']`, profile)).status).toBe("success");
    await client.commit();
    clock.advance(10_000);
    const log = await logOf(client, "threat", () => clock.advance(1000));
    expect(log).toMatchObject([{ type: "THREAT", rule: "allow-web", severity: "high", threatid: "Example(4711)", action: "reset-both" }]);
  });

  it("by an object follows the object", async () => {
    const { client, clock } = await admin({ traffic: { flows: [{ ...WEB, every: 10_000 }] } });
    await client.config("edit", `${ADDRESS}/entry[@name='web-1']`, "<entry name='web-1'><ip-netmask>10.0.0.99</ip-netmask></entry>");
    await client.commit();
    clock.advance(1000);
    expect(client.state.traffic.list()[0]?.judgement).toMatchObject({ rule: "interzone-default", action: "deny", logged: false });
    clock.advance(10_000);
    expect(client.state.traffic.records("TRAFFIC")).toHaveLength(1);
  });
});

/** A configuration of one rule, and objects for it. */
const one = (rule: string): Parameters<typeof judge>[0] =>
  parseXml(
    `<config><devices><entry name="d"><vsys><entry name="vsys1">
      <address><entry name="host"><ip-netmask>10.0.0.10</ip-netmask></entry><entry name="net"><ip-netmask>10.0.0.0/24</ip-netmask></entry>
        <entry name="range"><ip-range>10.0.0.5-10.0.0.20</ip-range></entry></address>
      <address-group><entry name="group"><static><member>outer</member><member>host</member></static></entry>
        <entry name="outer"><static><member>group</member></static></entry></address-group>
      <service><entry name="high"><protocol><tcp><port>22,8000-8100</port></tcp></protocol></entry></service>
      <service-group><entry name="services"><members><member>high</member></members></entry></service-group>
      <application-group><entry name="apps"><members><member>web-browsing</member></members></entry></application-group>
      <rulebase><security><rules><entry name="r">${rule}<action>allow</action></entry></rules></security></rulebase>
    </entry></vsys></entry></devices></config>`,
  );
const list = (tag: string, ...members: string[]) => `<${tag}>${members.map((member) => `<member>${member}</member>`).join("")}</${tag}>`;

describe("a rule matches", () => {
  it.each<[string, string, boolean]>([
    ["any", list("source", "any"), true],
    ["its zone", list("from", "untrust"), true],
    ["no other zone", list("from", "dmz"), false],
    ["an address", list("destination", "10.0.0.10"), true],
    ["a network", list("destination", "10.0.0.0/8"), true],
    ["no other network", list("destination", "10.1.0.0/16"), false],
    ["an address object", list("destination", "host"), true],
    ["a network object", list("destination", "net"), true],
    ["a range object", list("destination", "range"), true],
    ["a group in a group, also one that holds itself", list("destination", "outer"), true],
    ["no unknown name", list("destination", "nobody"), false],
    ["all but a negated address", `${list("destination", "host")}<negate-destination>yes</negate-destination>`, false],
    ["an application group", list("application", "apps"), true],
    ["no other application", list("application", "ssl"), false],
    ["the port at which an application is at home", list("service", "application-default"), true],
    ["a service of another port", list("service", "services"), false],
    ["a predefined service", list("service", "service-http"), true],
    ["nothing where it is disabled", "<disabled>yes</disabled>", false],
  ])("%s", (_, rule, expected) => {
    expect(judge(one(rule), WEB).rule).toBe(expected ? "r" : "interzone-default");
  });

  it("a service by its ports", () => {
    expect(judge(one(list("service", "services")), { ...WEB, port: 8050 }).rule).toBe("r");
    expect(judge(one(list("service", "application-default")), { ...WEB, port: 8050 }).rule).toBe("interzone-default");
  });

  it("within a zone, by default, without a log", () => {
    expect(judge(one(list("from", "dmz")), { ...WEB, to: "untrust" })).toMatchObject({
      rule: "intrazone-default",
      action: "allow",
      logged: false,
    });
  });
});

it.each([
  [{ ...WEB, port: 0 }, "port"],
  [{ ...WEB, every: 1 }, "every"],
  [{ ...WEB, application: undefined }, "application"],
  [null, "from"],
])("a flow that is none is refused", (flow, why) => {
  expect(() => readFlows(flow)).toThrow(why);
});

const match = (inner: string, more: Readonly<Record<string, string>> = {}): Readonly<Record<string, string>> => ({
  type: "op",
  cmd: `<test><security-policy-match>${inner}</security-policy-match></test>`,
  ...more,
});
const asked = `<from>untrust</from><to>trust</to><source>203.0.113.9</source><protocol>6</protocol><destination-port>80</destination-port>`;

describe("test security-policy-match", () => {
  it("answers with the deciding rule and its action, by the running configuration", async () => {
    const { client } = await admin();
    const answer = async (destination: string) => {
      const reply = await client.send(match(`${asked}<destination>${destination}</destination><application>web-browsing</application>`));
      const [entry] = find(reply.root, "result", "rules")?.children ?? [];
      return [entry?.name, entry?.children[0]?.text];
    };
    expect(await answer("10.0.0.10")).toEqual(["allow-web", "allow"]);
    expect(await answer("10.0.0.99")).toEqual(["interzone-default", "deny"]);
  });

  it("refuses an invalid address, protocol or port", async () => {
    const { client } = await admin();
    for (const wrong of ["<destination>web</destination>", "<destination>10.0.0.1</destination><source-port>x</source-port>"]) {
      expect(await client.send(match(asked + wrong))).toMatchObject({ status: "error", code: "17" });
    }
  });
});

/** Rules with objects that the configuration does not define completely. */
const several = (objects: string, ...rules: readonly string[]): Parameters<typeof judge>[0] =>
  parseXml(
    `<config><devices><entry name="d"><vsys><entry name="vsys1">${objects}<rulebase><security><rules>${rules
      .map((rule, n) => `<entry name="r${n}">${rule}<action>allow</action></entry>`)
      .join("")}</rules></security></rulebase></entry></vsys></entry></devices></config>`,
  );
const world = (more: Partial<World>): World => ({ ...NOTHING_KNOWN, ...more });

describe("other knowledge of a device", () => {
  const ruleOf = (config: Parameters<typeof judge>[0], known: Partial<World>, flow: Partial<typeof WEB> = {}) =>
    judge(config, { ...WEB, ...flow }, world(known)).rule;

  it("includes the content of a name and a list", () => {
    const objects = `<address><entry name="db"><fqdn>db.example.org</fqdn></entry></address>
      <external-list><entry name="bad"><type><ip><url>http://lists/bad</url></ip></type></entry></external-list>`;
    const config = several(objects, list("destination", "db"), list("source", "bad"));
    expect(ruleOf(config, {})).toBe("interzone-default");
    expect(ruleOf(config, { resolves: { "db.example.org": ["10.0.0.10"] } })).toBe("r0");
    expect(ruleOf(config, { resolves: { "http://lists/bad": ["203.0.113.0/24"] } })).toBe("r1");
  });

  it("includes tags of addresses, for dynamic groups", () => {
    const group = `<address-group><entry name="g"><dynamic><filter>'web' and ('a' or 'b')</filter></dynamic></entry></address-group>`;
    const tagged = `<address><entry name="h"><ip-netmask>10.0.0.10</ip-netmask><tag><member>web</member><member>b</member></tag></entry></address>`;
    const tags = (...names: string[]) => ({ tags: new Map([["10.0.0.10", new Set(names)]]) });
    expect(ruleOf(several(group, list("destination", "g")), tags("web"))).toBe("interzone-default");
    expect(ruleOf(several(group, list("destination", "g")), tags("web", "a"))).toBe("r0");
    expect(ruleOf(several(group + tagged, list("destination", "g")), {})).toBe("r0");
  });

  it("includes the time, for schedules", () => {
    const schedule = (inner: string) => `<schedule><entry name="s"><schedule-type>${inner}</schedule-type></entry></schedule>`;
    const daily = several(schedule(`<recurring>${list("daily", "08:00-17:00")}</recurring>`), "<schedule>s</schedule>");
    const once = several(schedule(list("non-recurring", "2026/01/05@08:00-2026/01/06@09:00")), "<schedule>s</schedule>");
    const monday = several(schedule(`<recurring><weekly>${list("monday", "08:00-17:00")}</weekly></recurring>`), "<schedule>s</schedule>");
    const at = (day: number, hour: number) => ({ now: Date.UTC(2026, 0, day, hour) });
    expect([ruleOf(daily, at(5, 9)), ruleOf(daily, at(5, 18))]).toEqual(["r0", "interzone-default"]);
    expect([ruleOf(once, at(5, 18)), ruleOf(once, at(6, 10))]).toEqual(["r0", "interzone-default"]);
    expect([ruleOf(monday, at(5, 9)), ruleOf(monday, at(6, 9))]).toEqual(["r0", "interzone-default"]);
  });

  it("selects the longest prefix of overlapping wildcards, unless configured to keep their order", () => {
    const objects = `<address><entry name="wide"><ip-wildcard>10.0.0.10/0.0.255.0</ip-wildcard></entry>
      <entry name="near"><ip-wildcard>10.0.0.11/0.0.0.248</ip-wildcard></entry></address>`;
    const config = several(objects, list("destination", "wide"), list("destination", "near"));
    expect(ruleOf(config, {})).toBe("interzone-default");
    expect(ruleOf(config, {}, { destination: "10.0.0.19" })).toBe("r1");
    expect(ruleOf(config, {}, { destination: "10.0.7.10" })).toBe("r0");
  });

  it("treats IPv4 as part of IPv6, and zones by the type of a rule", () => {
    expect(ruleOf(several("", list("destination", "::/0")), {})).toBe("r0");
    expect(ruleOf(several("", list("destination", "0.0.0.0/0")), {}, { destination: "2001:db8::1" })).toBe("interzone-default");
    expect(ruleOf(several("", "<rule-type>intrazone</rule-type>"), {})).toBe("interzone-default");
    expect(ruleOf(several("", "<rule-type>interzone</rule-type>"), {})).toBe("r0");
    expect(ruleOf(several("", "<rule-type>interzone</rule-type>"), {}, { to: "untrust" })).toBe("intrazone-default");
  });
});

it("the lab has its own readers: nothing of the engine or the client is imported", () => {
  const files = readdirSync("src/lab/panos/traffic").map((file) => readFileSync(join("src/lab/panos/traffic", file), "utf8"));
  const imported = files.flatMap((text) => [...text.matchAll(/from "([^"]+)"/g)].map(([, path = ""]) => path));
  expect(imported.filter((path) => /insight|targets|canonical|address-forms/.test(path))).toEqual([]);
  expect(imported.length).toBeGreaterThan(10);
});
