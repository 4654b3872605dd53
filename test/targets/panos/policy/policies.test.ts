import { describe, expect, it } from "vitest";
import { parseXml } from "../../../../src/core/tree/xml/parse.js";
import type { AddressRange, Match, Named, Policy, Rule } from "../../../../src/reachability/flows/policy.js";
import { policiesOf } from "../../../../src/targets/panos/policy/policies.js";
import { seedOf, soak } from "../../../seed.js";
import { Brute } from "./brute.js";
import { ask, evaluate } from "./evaluate.js";
import { randomConfiguration, randomFacts, randomFlow, randomOf } from "./random.js";

/** Configurations of each size. */
const CONFIGURATIONS = soak ? 400 : 8;

describe("the policy of a firewall's tree", () => {
  it.each([3, 10, 40])("decides each flow like an independent reader of the text, by the same rule: %i rules", (size) => {
    const random = randomOf(seedOf(size));
    for (let round = 0; round < CONFIGURATIONS; round++) {
      const xml = randomConfiguration(random, size, true);
      const [[policy] = []] = policiesOf([parseXml(xml)]);
      if (policy === undefined) throw new Error("a virtual system has a policy");
      const facts = randomFacts(random);
      const brute = new Brute(xml, "vsys1", facts);
      for (let flows = 0; flows < 250; flows++) {
        const flow = randomFlow(random);
        expect(evaluate(policy, ask(flow, facts)), JSON.stringify(flow)).toEqual(brute.decide(flow));
      }
    }
  });
});

/** The result of a translation that misreads the configuration. */
const MISREADINGS: ReadonlyMap<string, (rule: Rule) => Rule> = new Map<string, (rule: Rule) => Rule>([
  ["IPv4 as no part of IPv6", inAddresses((each) => ({ ...each, values: each.values.map(withoutIpv4) }))],
  ["an FQDN as empty", inAddresses((each) => ({ ...each, unknowns: each.unknowns.filter(({ kind }) => kind !== "FQDN") }))],
  ["a list as empty", inAddresses((each) => ({ ...each, unknowns: each.unknowns.filter(({ kind }) => kind !== "external list") }))],
  ["interzone as universal", (rule) => ({ ...rule, zones: { ...rule.zones, type: "universal" } })],
  ["the default port as any", (rule) => ({ ...rule, traffic: rule.traffic.map((each) => ({ ...each, conditions: [] })) })],
]);

describe("flows of a reader of the text", () => {
  const random = randomOf(40);
  const cases = Array.from({ length: 4 }, () => {
    const xml = randomConfiguration(random, 40, true);
    const [[policy] = []] = policiesOf([parseXml(xml)]);
    if (policy === undefined) throw new Error("a virtual system has a policy");
    const facts = randomFacts(random);
    const brute = new Brute(xml, "vsys1", facts);
    const flows = Array.from({ length: 300 }, () => randomFlow(random));
    return { policy, facts, flows: flows.map((flow) => ({ flow, said: brute.decide(flow).rule })) };
  });
  const isFound = (misread: (policy: Policy) => Policy) =>
    cases.some(({ policy, facts, flows }) => {
      const wrong = misread(policy);
      return flows.some(({ flow, said }) => evaluate(wrong, ask(flow, facts)).rule !== said);
    });

  it("find no difference in a correct reading", () => {
    expect(isFound((policy) => policy)).toBe(false);
  });

  it.each([...MISREADINGS])("detect a misreading that takes %s", (_, misread) => {
    expect(isFound((policy) => ({ ...policy, rules: policy.rules.map(misread) }))).toBe(true);
  });

  it("detect a misreading that takes the last matching rule", () => {
    expect(isFound((policy) => ({ ...policy, rules: policy.rules.toReversed() }))).toBe(true);
  });
});

function inAddresses(change: (object: Named<AddressRange>) => Named<AddressRange>): (rule: Rule) => Rule {
  const deep = (object: Named<AddressRange>): Named<AddressRange> => ({ ...change(object), members: object.members.map(deep) });
  const within = (match: Match<AddressRange>): Match<AddressRange> =>
    match === "any" ? match : { ...match, objects: match.objects.map(deep) };
  return (rule) => ({ ...rule, source: within(rule.source), destination: within(rule.destination) });
}

function withoutIpv4({ first, last }: AddressRange): AddressRange {
  return last < 2n ** 32n || first >= 2n ** 32n ? { first, last } : { first: 2n ** 32n, last };
}

/** A firewall of one virtual system and its policy. */
function policyOf(inner: string, shared = "", options: Parameters<typeof policiesOf>[1] = {}): Policy {
  const system = `<vsys><entry name="vsys1"><zone><entry name="a"/><entry name="b"/></zone>${inner}</entry></vsys>`;
  const xml = `<config><shared>${shared}</shared><devices><entry name="localhost.localdomain">${system}</entry></devices></config>`;
  const [[policy] = []] = policiesOf([parseXml(xml)], options);
  if (policy === undefined) throw new Error("a virtual system has a policy");
  return policy;
}

const list = (tag: string, ...members: string[]): string =>
  `<${tag}>${members.map((text) => `<member>${text}</member>`).join("")}</${tag}>`;
const rulebase = (...rules: string[]): string =>
  `<rulebase><security><rules>${rules.map((inner, n) => `<entry name="r${n}">${inner}<action>allow</action></entry>`).join("")}</rules></security></rulebase>`;
const objectsOf = ({ rules }: Policy, at = 0) => (rules[at]?.source === "any" ? [] : (rules[at]?.source.objects ?? []));

describe("other effects of a rule on sessions", () => {
  const profile = (name: string) =>
    `<profile-setting><profiles>${list("virus", name)}${list("spyware", name)}</profiles></profile-setting>`;
  const treatments = (...rules: string[]) => policyOf(rulebase(...rules)).rules.map(({ treatment }) => treatment);

  it("are equal for any notation", () => {
    const other = `<profile-setting><profiles>${list("spyware", "strict")}${list("virus", "strict")}</profiles></profile-setting>`;
    const [one, same, said] = treatments(
      profile("strict"),
      `<log-start>no</log-start>${other}<description>why</description>`,
      `<log-end>yes</log-end>${profile("strict")}<tag/>`,
    );
    expect([same, said]).toEqual([one, one]);
  });

  it.each([
    ["other profiles", profile("default")],
    ["no profiles", ""],
    ["no log", `${profile("strict")}<log-end>no</log-end>`],
    ["a log of its start", `${profile("strict")}<log-start>yes</log-start>`],
    ["a log that is sent on", `${profile("strict")}<log-setting>far</log-setting>`],
    ["a class of service", `${profile("strict")}<qos><marking><ip-dscp>ef</ip-dscp></marking></qos>`],
  ])("is another with %s", (_, rule) => {
    const [strict, other] = treatments(profile("strict"), rule);
    expect(other).not.toBe(strict);
  });

  it("include those of the default rules, which log nothing by default", () => {
    const [quiet, , interzone] = treatments(`<log-end>no</log-end>`);
    expect(interzone).toBe(quiet);
  });
});

describe("unknowns", () => {
  it("are neither empty nor any: an undefined name, an FQDN, a list, a country", () => {
    const shared = `<external-list><entry name="bad"><type><ip><url>http://lists/bad</url></ip></type></entry></external-list>`;
    const objects = `<address><entry name="db"><fqdn>db.example.org.</fqdn></entry></address>`;
    const policy = policyOf(`${objects}${rulebase(list("source", "nobody", "db", "bad", "DE"))}`, shared);
    expect(objectsOf(policy).map(({ values, unknowns: [unknown] }) => [values, unknown?.kind, unknown?.definition])).toEqual([
      [[], "unresolved name", "address nobody"],
      [[], "FQDN", "db.example.org"],
      [[], "external list", "ip http://lists/bad"],
      [[], "region", "DE"],
    ]);
  });

  it("of a cycle of groups belong to the group that closes it", () => {
    const groups = `<address-group><entry name="x">${list("static", "y", "10.0.0.1")}</entry><entry name="y">${list("static", "x")}</entry></address-group>`;
    const [x] = objectsOf(policyOf(`${groups}${rulebase(list("source", "x"))}`));
    expect(x?.members[1]?.values).toEqual([{ first: 0x0a000001n, last: 0x0a000001n }]);
    expect(x?.members[0]?.members[0]?.unknowns).toMatchObject([{ kind: "group that holds itself", definition: "x y" }]);
  });

  it("of a schedule are its content: other content is another unknown, another name is none", () => {
    const schedule = (name: string, hours: string) =>
      `<schedule><entry name="${name}"><schedule-type><recurring>${list("daily", hours)}</recurring></schedule-type></entry></schedule>`;
    const definition = (name: string, hours: string) =>
      policyOf(`${schedule(name, hours)}${rulebase(`<schedule>${name}</schedule>`)}`).rules[0]?.conditions[0]?.[0]?.unknown.definition;
    expect(definition("office", "08:00-17:00")).toBe(definition("work", "08:00-17:00"));
    expect(definition("office", "08:00-17:00")).not.toBe(definition("office", "08:00-18:00"));
  });

  it("of an unknown child element make the rule conditional, unless it is any", () => {
    const policy = policyOf(rulebase(list("source-imsi", "any"), "<packet-mood>evil</packet-mood>"));
    expect(policy.rules[0]?.conditions).toEqual([]);
    expect(policy.rules[1]?.conditions).toMatchObject([[{ unknown: { kind: "setting of a rule", name: "packet-mood" }, holds: true }]]);
  });

  it("of registered addresses are next to the objects that a dynamic group's filter selects", () => {
    const objects = `<address><entry name="w"><ip-netmask>10.0.0.1</ip-netmask>${list("tag", "web", "x")}</entry>
      <entry name="v"><ip-netmask>10.0.0.2</ip-netmask>${list("tag", "web")}</entry></address>
      <address-group><entry name="g"><dynamic><filter>'web' and ('x' or 'z')</filter></dynamic></entry></address-group>`;
    const [group] = objectsOf(policyOf(`${objects}${rulebase(list("source", "g"))}`));
    expect(group?.members.map(({ name }) => name)).toEqual(["w"]);
    expect(group?.unknowns).toMatchObject([{ kind: "registered addresses" }]);
  });

  it("of overlapping wildcard rules are the choice between them, unless the device evaluates them in order", () => {
    const objects = `<address><entry name="one"><ip-wildcard>10.1.0.5/0.0.255.0</ip-wildcard></entry>
      <entry name="two"><ip-wildcard>10.1.2.0/0.0.0.254</ip-wildcard></entry><entry name="far"><ip-wildcard>10.9.0.1/0.0.255.0</ip-wildcard></entry></address>`;
    const rules = rulebase(list("source", "one"), list("source", "two"), list("source", "far"), list("source", "any"));
    const doubts = (policy: Policy) => policy.rules.map(({ conditions }) => conditions[0]?.[0]?.unknown.kind);
    expect(doubts(policyOf(objects + rules)).slice(0, 4)).toEqual(["wildcard order", "wildcard order", undefined, undefined]);
    const sides = rulebase(list("source", "one"), list("destination", "far"));
    expect(doubts(policyOf(objects + sides)).slice(0, 2)).toEqual(["wildcard order", "wildcard order"]);
    expect(doubts(policyOf(objects + rules, "", { wildcards: "top down" })).slice(0, 2)).toEqual([undefined, undefined]);
  });

  it("of a wildcard of too many intervals are the wildcard", () => {
    const objects = `<address><entry name="odd"><ip-wildcard>0.0.0.1/85.85.85.84</ip-wildcard></entry></address>`;
    expect(objectsOf(policyOf(`${objects}${rulebase(list("source", "odd"))}`))).toMatchObject([
      { values: [], unknowns: [{ kind: "wildcard" }] },
    ]);
  });

  it("of the lookup scope of a shared group's members are reported where they matter, and configurable", () => {
    const near = `<address><entry name="h"><ip-netmask>10.0.0.1</ip-netmask></entry></address>`;
    const shared = `<address><entry name="h"><ip-netmask>10.0.0.2</ip-netmask></entry></address><address-group><entry name="g">${list("static", "h")}</entry></address-group>`;
    const rule = rulebase(list("source", "g"));
    const first = (policy: Policy) => objectsOf(policy)[0]?.members[0]?.values[0]?.first;
    expect(first(policyOf(near + rule, shared))).toBe(0x0a000001n);
    expect(first(policyOf(near + rule, shared, { groupMembers: "from the group" }))).toBe(0x0a000002n);
    expect(policyOf(near + rule, shared).limits.filter(({ doubtful }) => doubtful)).toMatchObject([
      { text: expect.stringContaining("[?]") },
    ]);
    expect(policyOf(rule, shared).limits.filter(({ doubtful }) => doubtful)).toEqual([]);
  });
});

describe("application-default", () => {
  it("is one part per set of default ports, and one for those that only the device knows", () => {
    const custom = (name: string, port: string) => `<entry name="${name}"><default>${list("port", port)}</default></entry>`;
    const objects = `<application>${custom("a1", "tcp/1")}${custom("a2", "tcp/1")}${custom("a3", "udp/2-3")}</application>`;
    const { rules } = policyOf(
      objects + rulebase(`${list("application", "a1", "a2", "a3", "ssl")}${list("service", "application-default")}`),
    );
    const parts = rules[0]?.traffic.map(({ applications, services, conditions }) => [
      applications === "any" ? [] : applications.objects.map(({ name }) => name),
      services === "any" ? "any" : services.objects[0]?.values,
      conditions?.length ?? 0,
    ]);
    expect(parts).toEqual([
      [["a1", "a2"], [{ protocol: 6, first: 1, last: 1 }], 0],
      [["a3"], [{ protocol: 17, first: 2, last: 3 }], 0],
      [["ssl"], "any", 1],
    ]);
  });

  it("is an IP protocol, or an ICMP type as a condition, for applications without ports", () => {
    const custom = (name: string, ident: string) => `<entry name="${name}"><default>${ident}</default></entry>`;
    const type = (word: string, inner: string) => `<ident-by-${word}-type>${inner}</ident-by-${word}-type>`;
    const own = [
      custom("tunnel", "<ident-by-ip-protocol>47</ident-by-ip-protocol>"),
      custom("echo", type("icmp", "<type>8</type>")),
      custom("same", type("icmp", "8")),
      custom("far", type("icmp", "<type>3</type><code>1</code>")),
      custom("echo6", type("icmp6", "<type>128</type>")),
      custom("strange", type("icmp", "<type>some</type>")),
    ].join("");
    const names = ["tunnel", "echo", "same", "far", "echo6", "strange", "ping"];
    const ping = { ports: [{ protocol: 1, first: 0, last: 65_535, icmpType: "8" }], parts: [] };
    const { rules } = policyOf(
      `<application>${own}</application>${rulebase(`${list("application", ...names)}${list("service", "application-default")}`)}`,
      "",
      { predefined: new Map([["ping", ping]]) },
    );
    const parts = rules[0]?.traffic.map(({ applications, services, conditions = [] }) => [
      applications === "any" ? [] : applications.objects.map(({ name }) => name),
      services === "any" ? "any" : services.objects[0]?.values.map(({ protocol }) => protocol),
      conditions.flat().map(({ unknown }) => unknown.name),
    ]);
    expect(parts).toEqual([
      [["tunnel"], [47], []],
      [["echo", "same", "ping"], [1], ["the ICMP type is 8"]],
      [["far"], [1], ["the ICMP type is 3, code 1"]],
      [["echo6"], [58], ["the ICMPv6 type is 128"]],
      [["strange"], "any", ["the port is the application's default"]],
    ]);
  });

  it("of an application that may contain another one is reported, in both versions", () => {
    const xml = (...names: string[]) =>
      parseXml(
        `<config><devices><entry name="localhost.localdomain"><vsys><entry name="vsys1">${rulebase(list("application", ...names))}</entry></vsys></entry></devices></config>`,
      );
    const versions = policiesOf([xml("facebook"), xml("facebook", "facebook-base")]);
    const kinds = versions.map(([policy]) => {
      const applications = policy?.rules[0]?.traffic[0]?.applications;
      return applications === undefined || applications === "any" ? [] : applications.objects.map(({ unknowns }) => unknowns[0]?.kind);
    });
    expect(kinds).toEqual([["application container"], ["application container", undefined]]);
  });
});

describe("a manager", () => {
  const group = (name: string, level: string, rule: string) =>
    `<entry name="${name}"><${level}-rulebase><security><rules><entry name="${rule}"><action>deny</action></entry></rules></security></${level}-rulebase></entry>`;
  const hierarchy = `<readonly><devices><entry name="localhost.localdomain"><device-group><entry name="child"><parent-dg>parent</parent-dg></entry></device-group></entry></devices></readonly>`;
  const manager = (rules = "") =>
    parseXml(`<config><shared><pre-rulebase><security><rules><entry name="first"><action>deny</action></entry>${rules}</rules></security></pre-rulebase>
      <post-rulebase><security><rules><entry name="last"><action>allow</action></entry></rules></security></post-rulebase></shared>
      ${hierarchy}<devices><entry name="localhost.localdomain"><device-group>${group("parent", "post", "later")}${group("child", "pre", "second")}</device-group></entry></devices></config>`);

  it("puts shared pre-rules first and shared post-rules last, the nearest groups next to the firewall", () => {
    const [policies = []] = policiesOf([manager()]);
    const child = policies.find(({ scope }) => scope === "device-group/child");
    expect(child?.rules.map(({ key: { name, level, group: author } }) => `${level} ${author} ${name}`)).toEqual([
      "pre shared first",
      "pre device-group/child second",
      "post device-group/parent later",
      "post shared last",
      "default  intrazone-default",
      "default  interzone-default",
    ]);
    expect(child?.otherZones).toBe(true);
    expect(child?.limits[0]).toMatchObject({ doubtful: true, text: expect.stringContaining("firewalls' own rules") });
  });

  it("uses the nearer of two objects of one name, or the farther one if configured, with doubt either way", () => {
    const address = (ip: string) => `<address><entry name="h"><ip-netmask>${ip}</ip-netmask></entry></address>`;
    const rule = `<entry name="r"><source><member>h</member></source><action>allow</action></entry>`;
    const group = `<entry name="g">${address("10.0.0.1")}<pre-rulebase><security><rules>${rule}</rules></security></pre-rulebase></entry>`;
    const tree = parseXml(
      `<config><shared>${address("10.0.0.2")}</shared><devices><entry name="localhost.localdomain"><device-group>${group}</device-group></entry></devices></config>`,
    );
    for (const [precedence, first] of [
      ["nearest", 0x0a000001n],
      ["ancestors", 0x0a000002n],
    ] as const) {
      const [[policy] = []] = policiesOf([tree], { precedence });
      if (policy === undefined) throw new Error("a device group has a policy");
      expect(objectsOf(policy)[0]?.values[0]?.first).toBe(first);
      expect(policy.limits.filter(({ doubtful }) => doubtful).map(({ text }) => text)).toContainEqual(expect.stringContaining("[?]"));
    }
  });

  it("treats a rule for some firewalls as doubtful, because the firewall is unknown", () => {
    const meant = `<entry name="some"><target><devices><entry name="0001"/></devices></target><action>allow</action></entry>`;
    const rule = policiesOf([manager(meant)])[0]?.[1]?.rules.find(({ key }) => key.name === "some");
    expect(rule?.conditions).toMatchObject([[{ unknown: { kind: "target of a rule" }, holds: true }]]);
  });
});

describe("a firewall with a manager", () => {
  const limitsWith = (system: string) => {
    const inner = `<deviceconfig><system>${system}</system></deviceconfig><vsys><entry name="vsys1"><rulebase/></entry></vsys>`;
    const [[policy] = []] = policiesOf([
      parseXml(`<config><devices><entry name="localhost.localdomain">${inner}</entry></devices></config>`),
    ]);
    return policy?.limits.filter(({ doubtful }) => doubtful).map(({ text }) => text);
  };

  it("is never answered exactly: pushed rules were not read", () => {
    const pushed = [expect.stringContaining("its pushed rules")];
    expect(limitsWith("<panorama-server>10.0.0.1</panorama-server>")).toEqual(pushed);
    expect(limitsWith("<panorama><local-panorama><panorama-server>10.0.0.1</panorama-server></local-panorama></panorama>")).toEqual(pushed);
    expect(limitsWith("<hostname>edge</hostname>")).toEqual([]);
  });

  it("is evaluated with pushed content, if that was read: rules, order and places, objects, zones of its template", () => {
    const rule = (name: string, loc: string, source: string) =>
      `<entry name="${name}" loc="${loc}">${list("from", "inside")}${list("source", source)}<action>allow</action></entry>`;
    const rules = (tag: string, ...all: string[]) => `<${tag}><security><rules>${all.join("")}</rules></security></${tag}>`;
    const address = (name: string, ip: string) => `<entry name="${name}"><ip-netmask>${ip}</ip-netmask></entry>`;
    const pushed =
      rules("pre-rulebase", rule("first", "shared", "all"), rule("second", "branch", "twin")) +
      rules("post-rulebase", rule("last", "branch", "far")) +
      `<address>${address("twin", "192.0.2.1")}${address("far", "192.0.2.2")}</address><zone><entry name="inside"/></zone>`;
    const own = `<address>${address("own", "192.0.2.9")}</address>${rules("rulebase", rule("mine", "", "own"))}`;
    const tree = (handed: string) =>
      parseXml(
        `<config><shared/><devices><entry name="localhost.localdomain"><vsys><entry name="vsys1">${own}</entry></vsys></entry></devices>${handed}</config>`,
      );
    const handed = `<shared><address>${address("all", "192.0.2.0/24")}${address("twin", "10.0.0.1")}</address></shared><vsys><entry name="vsys1">${pushed}</entry></vsys>`;
    const [[policy] = []] = policiesOf([tree(`<panorama>${handed}</panorama>`)]);
    expect(policy?.rules.map(({ key }) => `${key.level} ${key.group} ${key.name}`.replace("  ", " "))).toEqual([
      "pre shared first",
      "pre device-group/branch second",
      "local mine",
      "post device-group/branch last",
      "default intrazone-default",
      "default interzone-default",
    ]);
    const values = policy?.rules
      .slice(0, 4)
      .map((_, at) => objectsOf(policy, at).map((object) => object.values.length + object.unknowns.length));
    expect(values).toEqual([[1], [1], [1], [1]]);
    expect(objectsOf(policy ?? expect.fail(), 1)[0]?.values[0]?.first.toString(16)).toBe("c0000201");
    expect([policy?.zones, policy?.otherZones]).toEqual([["inside"], false]);
    expect(policy?.limits.filter(({ doubtful }) => doubtful)).toEqual([]);
    const [[unread] = []] = policiesOf([tree("<panorama/>")]);
    expect(unread?.limits.filter(({ doubtful }) => doubtful).map(({ text }) => text)).toEqual([
      expect.stringContaining("its pushed rules"),
    ]);
  });
});
