import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type JsonObject, objectAt, objectsAt, textAt } from "../../../src/core/json/value.js";
import { cidrOf } from "../../../src/targets/contrail/json-tree/naming.js";
import { ControllerWorld } from "./world.js";

const IPAMS = ["default-domain:default-project:default-network-ipam", "default-domain:demo:own"];
const POLICIES = ["p", "q", "r"].map((name) => `default-domain:demo:${name}`);
const NETWORKS = ["a", "b", "c"].map((name) => `default-domain:demo:${name}`);

const optional = <T>(value: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> => fc.option(value, { nil: undefined });
const truth = optional(fc.boolean().map(String));

const subnet = (block: string): fc.Arbitrary<object> =>
  fc.record({
    enable_dhcp: truth,
    subnet_name: optional(fc.constantFrom("one", "two words", "it's")),
    dns_nameservers: optional(fc.uniqueArray(fc.constantFrom("9.9.9.9", "1.1.1.1", "2001:db8::53"), { minLength: 1 })),
    // A subnet never loses a pool, nor may it be moved: neighbours.test.ts.
    allocation_pools: fc.constant([{ start: `${block}.10`, end: `${block}.15` }]),
    host_routes: optional(fc.constant({ route: [{ prefix: "192.0.2.0/24", next_hop: `${block}.9` }] })),
  });

/** Each block belongs to one IPAM, so that none occurs twice in a network. */
const subnets = (ipam: number): fc.Arbitrary<object> =>
  fc
    .uniqueArray(fc.integer({ min: 0, max: 3 }), { minLength: 1, maxLength: 3 })
    .chain((numbers) =>
      fc.tuple(...numbers.map((number) => subnet(`10.${ipam}.${number}`).map((body) => [`10.${ipam}.${number}.0/24`, body] as const))),
    )
    .map((entries) => ({ ipam_subnets: Object.fromEntries(entries) }));

const network = fc.record({
  router_external: truth,
  is_shared: truth,
  port_security_enabled: truth,
  mtu: optional(fc.constantFrom("1500", "9000")),
  display_name: optional(fc.constantFrom("shown", "Ünïcode")),
  virtual_network_properties: optional(
    fc.record({ forwarding_mode: fc.constantFrom("l2", "l3", "l2_l3"), rpf: optional(fc.constantFrom("enable", "disable")) }),
  ),
  route_target_list: optional(
    fc.uniqueArray(fc.constantFrom("target:64512:1", "target:64512:2"), { minLength: 1 }).map((route_target) => ({ route_target })),
  ),
  network_ipam_refs: optional(
    fc
      .subarray([0, 1], { minLength: 1 })
      .chain((picked) => fc.tuple(...picked.map((index) => subnets(index + 1).map((body) => [IPAMS[index] ?? "", body] as const))))
      .map((entries) => Object.fromEntries(entries)),
  ),
  network_policy_refs: optional(
    fc
      .subarray(POLICIES, { minLength: 1 })
      .map((names) => Object.fromEntries(names.map((name, major) => [name, { sequence: { major: String(major) } }]))),
  ),
});

const rule = fc.record({
  direction: fc.constantFrom("<>", ">"),
  protocol: fc.constantFrom("tcp", "udp", "any"),
  src_addresses: fc.constantFrom([{ virtual_network: "any" }], [{ subnet: { ip_prefix: "10.0.0.0", ip_prefix_len: "8" } }]),
  src_ports: fc.constant([{ start_port: "-1", end_port: "-1" }]),
  dst_addresses: fc.constant([{ virtual_network: "any" }]),
  dst_ports: fc.constantFrom("22", "80", "443").map((port) => [{ start_port: port, end_port: port }]),
  action_list: fc.constantFrom({ simple_action: "pass" }, { simple_action: "deny" }, { simple_action: "pass", log: "true" }),
});

const fabric = fc.record({
  "network-ipams": fc.constant({ "default-domain:demo:own": {} }),
  "network-policys": fc
    .tuple(...POLICIES.map(() => fc.array(rule, { maxLength: 5 })))
    .map((lists) =>
      Object.fromEntries(
        lists.map((policy_rule, index) => [POLICIES[index], policy_rule.length === 0 ? {} : { network_policy_entries: { policy_rule } }]),
      ),
    ),
  "virtual-networks": fc
    .subarray(NETWORKS, { minLength: 1 })
    .chain((names) => fc.tuple(...names.map((name) => network.map((body) => [name, body] as const))))
    .map((entries) => Object.fromEntries(entries)),
});

function idsOf(world: ControllerWorld): Map<string, string> {
  const ids = new Map<string, string>();
  for (const name of NETWORKS) {
    for (const { attr } of world.object("virtual-network", name)?.references.get("network_ipam_refs") ?? []) {
      for (const each of objectsAt(objectAt({ attr } as JsonObject, "attr") ?? {}, "ipam_subnets"))
        ids.set(`${name} ${cidrOf(each)}`, textAt(each, "subnet_uuid") ?? "");
    }
  }
  return ids;
}

describe("any sequence of documents", () => {
  it("the controller follows them, with no remaining difference, and each remaining subnet keeps its id", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fabric, { minLength: 2, maxLength: 3 }), async (states) => {
        const world = await ControllerWorld.start();
        let before = new Map<string, string>();
        for (const state of states) {
          await world.reconciled(JSON.stringify(state));
          expect((await world.plan()).plan?.changes).toEqual([]);
          const after = idsOf(world);
          for (const [subnet, id] of before) if (after.has(subnet)) expect(after.get(subnet)).toBe(id);
          before = after;
        }
        await world.close();
      }),
      { numRuns: Number(process.env.FABRIC_RUNS ?? 6) },
    );
  }, 120_000);
});
