import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { reachIn } from "../../../../src/reachability/questions/format-reach.js";
import { rulebasesOf } from "../../../../src/targets/openstack/policy/policies.js";
import { type Packet, passes } from "./brute.js";
import { type RawProject, type RawRule, treeOf } from "./project.js";
import { free, packet, project } from "./random.js";

/** The result of insight for one packet. */
function said(raw: RawProject, { from, to, source, destination, protocol, port }: Packet): string[] {
  const [rulebase] = rulebasesOf([treeOf(raw)]);
  const [policy] = rulebase.policies();
  if (policy === undefined) throw new Error("there is a policy");
  const word = (name: string | undefined) => [name === undefined ? "anywhere" : `port ${name}`];
  const service = [protocol === "icmp" ? "icmp" : `${protocol}/${port}`];
  const flows = rulebase.flows(0, {
    from: word(from),
    to: word(to),
    source: [source],
    destination: [destination],
    service,
    application: [],
  });
  return reachIn(policy, flows).answers.map(({ verdict, conditions: [first] }) => `${verdict}${first === undefined ? "" : ` if ${first}`}`);
}

describe("security groups", () => {
  it("allow the same as an interpreter of their text", () => {
    fc.assert(
      fc.property(project, fc.array(packet, { minLength: 8, maxLength: 8 }), (raw, packets) => {
        for (const each of packets) expect(said(raw, each), JSON.stringify(each)).toEqual([passes(raw, each) ? "allow" : "deny"]);
      }),
      { numRuns: 150, seed: 20_261_124 },
    );
  });

  it.each(["ingress", "egress"] as const)("let both families pass if a group has a rule for each (%s)", (direction) => {
    for (const remote of [{ remote_group: "default" }, { remote_address_group: "offices" }]) {
      const rules = (["IPv4", "IPv6"] as const).map((ethertype): RawRule => ({ direction, ethertype, ...remote }));
      for (const order of [rules, rules.toReversed()]) {
        const raw: RawProject = {
          groups: {
            default:
              direction === "ingress"
                ? [...free, ...order]
                : [...order, { direction: "ingress" }, { direction: "ingress", ethertype: "IPv6" }],
          },
          addressGroups: { offices: ["10.0.0.0/8", "2001:db8::/32"] },
          ports: { p: { groups: ["default"] }, q: { groups: ["default"] } },
        };
        const four = { from: "p", to: "q", source: "10.0.0.8", destination: "10.0.0.9", protocol: "tcp", port: 22 } as const;
        const six = { ...four, source: "2001:db8::8", destination: "2001:db8::9" };
        expect([said(raw, four), said(raw, six)]).toEqual([["allow"], ["allow"]]);
      }
    }
  });

  it("allow only the family of the rule, although its address group has addresses of both", () => {
    const raw: RawProject = {
      groups: { a: [{ direction: "ingress", ethertype: "IPv4", remote_address_group: "offices" }] },
      addressGroups: { offices: ["10.0.0.0/8", "2001:db8::/32"] },
      ports: { p: { groups: ["a"] } },
    };
    const four = { from: undefined, to: "p", source: "10.0.0.8", destination: "10.0.0.9", protocol: "tcp", port: 22 } as const;
    expect(said(raw, four)).toEqual(["allow"]);
    expect(said(raw, { ...four, source: "2001:db8::8", destination: "2001:db8::9" })).toEqual(["deny"]);
  });

  it("do not treat a group as all addresses because of its name", () => {
    const raw: RawProject = {
      groups: { "0.0.0.0/0": [], a: [{ direction: "egress", remote_group: "0.0.0.0/0" }] },
      ports: { p: { groups: ["a"] }, q: { groups: [], open: true } },
    };
    const flow = { from: "p", to: "q", source: "10.0.0.8", destination: "10.0.0.9", protocol: "tcp", port: 22 } as const;
    expect(said(raw, flow)).toEqual(["deny"]);
  });

  it.each<[string, RawProject, string[]]>([
    [
      "a group that others may use: one of their ports may be in it",
      { groups: { a: [{ direction: "ingress", remote_group: "b" }], b: [] }, shared: ["b"], ports: { p: { groups: ["a"] } } },
      ["allow if the other side is a port of others in b", "deny if the other side is not a port of others in b"],
    ],
    [
      "a group that was not read",
      { groups: {}, ports: { p: { groups: ["theirs"] } } },
      [
        "allow if it is let through by rules of theirs, and by those of the other side",
        "deny if it is not let through by rules of theirs, and by those of the other side",
      ],
    ],
    [
      "an address group that was not read",
      { groups: { a: [{ direction: "ingress", remote_address_group: "offices" }] }, ports: { p: { groups: ["a"] } } },
      ["allow if the source is in offices (address group)", "deny if the source is not in offices (address group)"],
    ],
    [
      "a protocol that nobody knows",
      { groups: { a: [{ direction: "ingress", protocol: "carrier-pigeon" }] }, ports: { p: { groups: ["a"] } } },
      ["allow if the protocol is carrier-pigeon", "deny if the protocol is not carrier-pigeon"],
    ],
    [
      "types of ICMP, which are no ports",
      {
        groups: { a: [{ direction: "ingress", protocol: "icmp", port_range_min: 8, port_range_max: 0 }] },
        ports: { p: { groups: ["a"] } },
      },
      ["allow if the message is icmp type 8 code 0", "deny if the message is not icmp type 8 code 0"],
    ],
    ["nothing of a port that is in no group", { groups: { a: free }, ports: { p: {} } }, ["deny"]],
  ])("say what hangs on %s", (_, raw, answers) => {
    const found = said(raw, { from: undefined, to: "p", source: "192.0.2.9", destination: "10.0.0.9", protocol: "icmp", port: 0 });
    expect(found).toEqual(answers);
  });

  it("keep the effect of many inbound rules and many narrow outbound rules on each other", () => {
    const narrow = (direction: RawRule["direction"]) =>
      Array.from(
        { length: 240 },
        (_, port): RawRule => ({ direction, protocol: "tcp", port_range_min: port + 1, port_range_max: port + 1 }),
      );
    const raw = { groups: { a: [...narrow("ingress"), ...narrow("egress")] }, ports: { p: { groups: ["a"] }, q: { groups: ["a"] } } };
    const flow = { from: "p", to: "q", source: "10.0.0.1", destination: "10.0.0.2", protocol: "tcp", port: 7 } as const;
    expect(said(raw, flow)).toEqual([
      "allow if it is let out by a rule of who sends and let in by one of who receives",
      "deny if it is not let out by a rule of who sends and let in by one of who receives",
    ]);
    expect(said(raw, { ...flow, from: undefined })).toEqual(["allow"]);
  });
});
