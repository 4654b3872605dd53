import fc from "fast-check";
import type { Packet, RawAddress, RawFabric, RawNetwork, RawPorts, RawRule } from "./brute.js";

const DEMO = ["default-domain", "demo"];
const NETWORKS = [
  [...DEMO, "a"],
  [...DEMO, "b"],
  [...DEMO, "c"],
  ["default-domain", "other", "d"],
];
const POLICIES = ["p", "q", "r"].map((name) => [...DEMO, name]);
const NAMES = NETWORKS.map((name) => name.join(":"));

const block = fc.constantFrom(
  { ip_prefix: "10.0.0.0", ip_prefix_len: 8 },
  { ip_prefix: "10.1.0.0", ip_prefix_len: 24 },
  { ip_prefix: "10.2.0.0", ip_prefix_len: 24 },
  { ip_prefix: "2001:db8::", ip_prefix_len: 64 },
);
const network = fc.constantFrom("any", "local", ...NAMES);
const address: fc.Arbitrary<RawAddress> = fc.oneof(
  { weight: 6, arbitrary: network.map((virtual_network) => ({ virtual_network })) },
  { weight: 1, arbitrary: block.map((subnet) => ({ subnet })) },
  { weight: 1, arbitrary: fc.record({ virtual_network: network, subnet: block }) },
  { weight: 1, arbitrary: fc.constantFrom(...POLICIES).map((name) => ({ network_policy: name.join(":") })) },
);
const any: RawPorts = { start_port: -1, end_port: -1 };
const ports: fc.Arbitrary<RawPorts> = fc.constantFrom(
  any,
  any,
  { start_port: 0, end_port: 65_535 },
  { start_port: 80, end_port: 80 },
  { start_port: 80, end_port: 443 },
);

const rule: fc.Arbitrary<RawRule> = fc
  .record({
    direction: fc.constantFrom<RawRule["direction"]>("<>", "<>", ">"),
    protocol: fc.constantFrom("any", "tcp", "udp", "icmp", "132", "6"),
    src_addresses: fc.array(address, { minLength: 1, maxLength: 2 }),
    src_ports: fc.oneof(
      { weight: 4, arbitrary: fc.constant([any]) },
      { weight: 1, arbitrary: fc.array(ports, { minLength: 1, maxLength: 2 }) },
    ),
    dst_addresses: fc.array(address, { minLength: 1, maxLength: 2 }),
    dst_ports: fc.array(ports, { minLength: 1, maxLength: 2 }),
    action: fc.constantFrom("pass", "pass", "pass", "deny", "neither", "none"),
  })
  .map(({ action, ...said }) => {
    if (action === "none") return said;
    return { ...said, action_list: action === "pass" || action === "deny" ? { simple_action: action } : { log: true } } as RawRule;
  });

const targets = fc.option(fc.subarray(["target:1:1", "target:1:2"], { minLength: 1 }), { freq: 3, nil: undefined });

const attached: fc.Arbitrary<RawNetwork["network_policy_refs"]> = fc
  .shuffledSubarray(POLICIES)
  .map((names) => names.map((to, at) => ({ to, attr: { sequence: { major: at % 2 === 0 ? 1 : 0, minor: at === 2 ? 0 : at } } })));

const vn = (fq_name: readonly string[]): fc.Arbitrary<RawNetwork> =>
  fc
    .record({ refs: attached, both: targets, imports: targets, exports: targets, snat: fc.nat(7), provider: fc.nat(7) })
    .map(({ refs, both, imports, exports, snat, provider }) => ({
      fq_name,
      ...(refs === undefined || refs.length === 0 ? {} : { network_policy_refs: refs }),
      ...(both === undefined ? {} : { route_target_list: { route_target: both } }),
      ...(imports === undefined ? {} : { import_route_target_list: { route_target: imports } }),
      ...(exports === undefined ? {} : { export_route_target_list: { route_target: exports } }),
      ...(snat === 0 ? { fabric_snat: true } : {}),
      ...(provider === 0 ? { is_provider_network: true } : {}),
    }));

/** Four networks of two projects, and three policies on some of them. */
export const fabric: fc.Arbitrary<RawFabric> = fc.record({
  networks: fc.tuple(...NETWORKS.map(vn)),
  policies: fc.tuple(
    ...POLICIES.map((fq_name) =>
      fc.array(rule, { maxLength: 4 }).map((policy_rule) => ({ fq_name, network_policy_entries: { policy_rule } })),
    ),
  ),
  isWithoutRouters: fc.boolean(),
});

const place = fc.constantFrom("anywhere", ...NAMES);
/** From a network or from elsewhere, to one or to elsewhere. */
export const packet: fc.Arbitrary<Packet> = fc
  .record({
    from: place,
    to: place,
    near: fc.tuple(fc.nat(2), fc.nat(2)),
    isSix: fc.nat(4),
    protocol: fc.constantFrom(6, 6, 17, 1, 132, 47),
    sourcePort: fc.constantFrom(80, 443, 50_000),
    port: fc.constantFrom(80, 443, 5432),
  })
  .filter(({ from, to }) => from !== "anywhere" || to !== "anywhere")
  .map(({ near: [one, other], isSix, ...said }) => {
    const addresses = isSix === 0 ? ["2001:db8::1", "2001:db9::1", "2001:db8::2"] : ["10.1.0.9", "10.2.0.9", "192.0.2.9"];
    return { ...said, source: addresses[one] ?? "", destination: addresses[other] ?? "" };
  });
