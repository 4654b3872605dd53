import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { projectIn } from "../../../../src/targets/openstack/policy/members.js";
import { type SeenFlow, verdictOf } from "../../../../src/targets/openstack/policy/verdict.js";
import { type Packet, passes } from "./brute.js";
import { type RawProject, type RawRule, treeOf } from "./project.js";
import { packet, project } from "./random.js";

/** The verdict of both sides' groups for one packet. */
function said(raw: RawProject, { from, to, source, destination, protocol, port }: Packet): string {
  const service = protocol === "icmp" ? "icmp" : `${protocol}/${port}`;
  const sides = [
    { direction: "egress", own: from, peer: to, remote: destination },
    { direction: "ingress", own: to, peer: from, remote: source },
  ] as const;
  const verdicts = sides.flatMap(({ direction, own, peer, remote }) => {
    if (own === undefined) return [];
    const remoteHolder = peer === undefined ? undefined : `port ${peer}`;
    const flow: SeenFlow = { direction, holder: `port ${own}`, remote, remoteHolder, isIpv6: source.includes(":"), service };
    const [first, ...more] = verdictOf(flow, projectIn(treeOf(raw)), {});
    expect(more).toEqual([]);
    return first?.verdict ?? "none";
  });
  return verdicts.every((verdict) => verdict === "allow") ? "allow" : "deny";
}

describe("verdictOf", () => {
  it("allows the same as an interpreter of the rules' text", () => {
    fc.assert(
      fc.property(project, fc.array(packet, { minLength: 8, maxLength: 8 }), (raw, packets) => {
        for (const each of packets) expect(said(raw, each), JSON.stringify(each)).toBe(passes(raw, each) ? "allow" : "deny");
      }),
      { numRuns: 150, seed: 20_261_125 },
    );
  });

  it.each<[string, Partial<RawRule>, readonly string[] | undefined, Partial<SeenFlow>, readonly string[]]>([
    [
      "a group that others may use",
      { remote_group: "b" },
      ["b"],
      {},
      ["allow if 192.0.2.9 is of a port of others in b", "deny if nothing of that is so"],
    ],
    ["a group of ours alone", { remote_group: "b" }, [], {}, ["deny"]],
    [
      "an address group that was not read",
      { remote_address_group: "offices" },
      [],
      {},
      ["allow if 192.0.2.9 is in offices (its addresses were not read)", "deny if nothing of that is so"],
    ],
    [
      "a protocol that nobody knows",
      { protocol: "carrier-pigeon" },
      [],
      {},
      ["allow if the protocol is carrier-pigeon", "deny if nothing of that is so"],
    ],
    ["a source that is not known, for a rule of all", {}, [], { remote: undefined }, ["allow"]],
    [
      "a source that is not known, for a rule of some",
      { remote_ip_prefix: "10.0.0.0/8" },
      [],
      { remote: undefined },
      ["allow if its source by then is in 10.0.0.0/8", "deny if nothing of that is so"],
    ],
    [
      "a source that is not known, for a group",
      { remote_group: "b" },
      [],
      { remote: undefined },
      ["allow if its source by then is of a port in b", "deny if nothing of that is so"],
    ],
  ])("says what hangs on %s", (_, rule, shared = [], flow, answers) => {
    const raw: RawProject = { groups: { a: [{ direction: "ingress", ...rule }], b: [] }, shared, ports: { p: { groups: ["a"] } } };
    const asked: SeenFlow = {
      direction: "ingress",
      holder: "port p",
      remote: "192.0.2.9",
      remoteHolder: undefined,
      isIpv6: false,
      service: "tcp/22",
      ...flow,
    };
    const found = verdictOf(asked, projectIn(treeOf(raw)), {});
    expect(found.map(({ verdict, conditions: [first] }) => `${verdict}${first === undefined ? "" : ` if ${first}`}`)).toEqual(answers);
  });

  it("is unknown if a group was not read, and no without a group", () => {
    const asked = {
      direction: "ingress",
      holder: "port p",
      remote: "192.0.2.9",
      remoteHolder: undefined,
      isIpv6: false,
      service: "tcp/22",
    } as const;
    const stranger = verdictOf(asked, projectIn(treeOf({ groups: {}, ports: { p: { groups: ["theirs"] } } })), {});
    expect(stranger.map(({ verdict }) => verdict)).toEqual(["allow", "deny"]);
    const bare = verdictOf(asked, projectIn(treeOf({ groups: {}, ports: { p: {} } })), {});
    expect(bare).toMatchObject([{ verdict: "deny", rule: "port p is in no group, so that nothing lets it in" }]);
  });
});
