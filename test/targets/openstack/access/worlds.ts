import fc from "fast-check";
import { contentKeys } from "../../../../src/core/tree/content-key.js";
import { TreeNode } from "../../../../src/core/tree/node.js";
import { openstackShape } from "../../../../src/targets/openstack/shape.js";

interface RawRule {
  readonly direction: "ingress" | "egress";
  readonly ethertype?: "IPv4" | "IPv6" | undefined;
  readonly protocol?: string | undefined;
  readonly port_range_min?: string | undefined;
  readonly port_range_max?: string | undefined;
  readonly remote_ip_prefix?: string | undefined;
  readonly remote_group?: string | undefined;
  readonly remote_address_group?: string | undefined;
}

interface RawMachine {
  readonly groups: readonly string[] | undefined;
  readonly isPort: boolean;
  readonly isOpen: boolean;
  readonly hasSix: boolean;
  readonly pair: string | undefined;
}

export interface RawCloud {
  readonly groups: Readonly<Record<string, readonly RawRule[]>>;
  readonly machines: readonly RawMachine[];
  /** Groups and machines that no document declares. */
  readonly undeclared: readonly string[];
}

export const MACHINES = ["m0", "m1", "m2", "m3"] as const;
export const GROUPS = ["ga", "gb", "gc"] as const;
const fourOf = (at: number) => `10.0.0.${at + 10}`;
const sixOf = (at: number) => `fd00::${at + 10}`;
/** Hosts without a port in the project. */
export const OUTSIDE = ["10.0.0.5", "10.0.0.99", "192.0.2.9", "192.0.2.10", "198.51.100.7", "2001:db8::9", "fd00::99"] as const;

const leaf = (tag: string, text: string | undefined): TreeNode[] => (text === undefined ? [] : [new TreeNode(tag, undefined, text)]);
const list = (tag: string, children: readonly TreeNode[]): TreeNode => new TreeNode(tag, undefined, "", children);
const members = (tag: string, texts: readonly string[]) =>
  list(
    tag,
    texts.map((text) => new TreeNode("member", undefined, text)),
  );
const entry = (name: string | undefined, children: readonly TreeNode[]) => new TreeNode("entry", name, "", children);

function groupNode(name: string, rules: readonly RawRule[]): TreeNode {
  const shape = openstackShape().child("security_groups").child("entry").child("rules");
  const rows = rules.map((rule) =>
    entry(
      undefined,
      Object.entries(rule).flatMap(([tag, text]) => leaf(tag, text as string | undefined)),
    ),
  );
  const keys = contentKeys(rows, shape);
  const named = new Map(keys.map((key, at) => [key.replace(/ #\d+$/, ""), entry(key.replace(/ #\d+$/, ""), rows[at]?.children ?? [])]));
  return entry(name, [...leaf("project_id", "1"), list("rules", [...named.values()])]);
}

/** The tree of a live project, and the part of it that documents declare. */
export function treesOf({ groups, machines, undeclared }: RawCloud): { readonly tree: TreeNode; readonly declared: TreeNode } {
  const of = (isShown: (name: string) => boolean): TreeNode => {
    const shown = machines.map((machine, at) => ({ machine, at, name: MACHINES[at] ?? "" })).filter(({ name }) => isShown(name));
    const held = ({ groups: own }: RawMachine) => (own === undefined ? [] : [...leaf("project_id", "1"), members("security_groups", own)]);
    return list("openstack", [
      list(
        "security_groups",
        Object.entries(groups).flatMap(([name, rules]) => (isShown(name) ? [groupNode(name, rules)] : [])),
      ),
      list("address_groups", [entry("offices", [members("addresses", ["192.0.2.9/32", "2001:db8::/64", "10.0.0.11/32"])])]),
      list(
        "ports",
        shown
          .filter(({ machine }) => machine.isPort)
          .map(({ machine, at, name }) =>
            entry(name, [
              ...held(machine),
              ...leaf("network", "net"),
              ...leaf("port_security_enabled", String(!machine.isOpen)),
              list(
                "fixed_ips",
                [fourOf(at), ...(machine.hasSix ? [sixOf(at)] : [])].map((address) => entry(address, leaf("ip_address", address))),
              ),
              ...(machine.pair === undefined
                ? []
                : [list("allowed_address_pairs", [entry(`${machine.pair} *`, leaf("ip_address", machine.pair))])]),
            ]),
          ),
      ),
      list(
        "servers",
        shown
          .filter(({ machine }) => !machine.isPort)
          .map(({ machine, at, name }) =>
            entry(name, [
              ...held(machine),
              list("networks", [entry(`net-${at}`, [...leaf("network", "net"), ...leaf("fixed_ip", fourOf(at))])]),
              ...(machine.hasSix
                ? [list("addresses", [entry("net", [...leaf("address", fourOf(at)), members("fixed", [fourOf(at), sixOf(at)])])])]
                : []),
            ]),
          ),
      ),
    ]);
  };
  return { tree: of(() => true), declared: of((name) => !undeclared.includes(name)) };
}

const PORTS: readonly (readonly [string, string] | undefined)[] = [
  undefined,
  ["22", "22"],
  ["80", "443"],
  ["5432", "5432"],
  ["5432", "5432"],
];
const PREFIXES = {
  IPv4: ["10.0.0.10/32", "10.0.0.10/32", "10.0.0.11/32", "10.0.0.0/24", "192.0.2.0/24", "192.0.2.9/32"],
  IPv6: ["fd00::/64", "fd00::a/128", "2001:db8::/64"],
} as const;

const rule: fc.Arbitrary<RawRule> = fc
  .record({
    direction: fc.constantFrom<RawRule["direction"]>("ingress", "ingress", "egress"),
    family: fc.constantFrom<"IPv4" | "IPv6">("IPv4", "IPv4", "IPv6"),
    protocol: fc.constantFrom(undefined, "tcp", "tcp", "tcp", "tcp", "udp", "icmp"),
    ports: fc.constantFrom(...PORTS),
    remote: fc.constantFrom("any", "group", "prefix", "prefix", "set"),
    group: fc.constantFrom(...GROUPS),
    prefix: fc.nat({ max: 5 }),
  })
  .map(({ direction, family, protocol, ports, remote, group, prefix }) => {
    const [low, high] = protocol === "tcp" || protocol === "udp" ? (ports ?? []) : [];
    const all = PREFIXES[family];
    return {
      direction,
      ethertype: family === "IPv4" ? undefined : family,
      protocol: protocol === "icmp" && family === "IPv6" ? "ipv6-icmp" : protocol,
      port_range_min: low,
      port_range_max: high,
      remote_ip_prefix: remote === "prefix" ? all[prefix % all.length] : undefined,
      remote_group: remote === "group" ? group : undefined,
      remote_address_group: remote === "set" ? "offices" : undefined,
    };
  });

const FREE: readonly RawRule[] = [{ direction: "egress" }, { direction: "egress", ethertype: "IPv6" }];

const anyCloud: fc.Arbitrary<RawCloud> = fc.record({
  groups: fc
    .tuple(
      ...[...GROUPS, "default"].map(() =>
        fc.record({ isFree: fc.constantFrom(true, true, true, false), rules: fc.array(rule, { maxLength: 3 }) }),
      ),
    )
    .map((all) =>
      Object.fromEntries(
        all.map(({ isFree, rules }, at) => [[...GROUPS, "default"][at] ?? "", isFree ? [...FREE, ...rules] : rules] as const),
      ),
    ),
  machines: fc.array(
    fc.record({
      groups: fc.oneof(
        { weight: 9, arbitrary: fc.subarray([...GROUPS], { maxLength: 2 }) },
        { weight: 1, arbitrary: fc.constant(undefined) },
      ),
      isPort: fc.boolean(),
      isOpen: fc.constantFrom(...Array(7).fill(false), true),
      hasSix: fc.constantFrom(false, false, true),
      pair: fc.constantFrom(undefined, undefined, undefined, "10.0.0.200/32"),
    }),
    { minLength: 3, maxLength: 4 },
  ),
  undeclared: fc.oneof({ weight: 3, arbitrary: fc.constant([]) }, { weight: 1, arbitrary: fc.subarray([...GROUPS, ...MACHINES]) }),
});

const CLIENTS: RawRule = { direction: "ingress", protocol: "tcp", port_range_min: "5432", port_range_max: "5432", remote_group: "gc" };

/** Some projects have a group for clients, which another group refers to. */
export const cloud: fc.Arbitrary<RawCloud> = fc.tuple(anyCloud, fc.constantFrom(true, false, false)).map(([raw, isTiered]) =>
  isTiered
    ? {
        ...raw,
        groups: { ...raw.groups, gb: [...FREE, CLIENTS], gc: FREE },
        machines: raw.machines.map((machine, at) => (at === 1 ? { ...machine, groups: ["gb"] } : machine)),
      }
    : raw,
);

export interface Wanted {
  readonly from: string;
  readonly to: string;
  readonly service: string;
}

const end = fc.oneof(
  { weight: 5, arbitrary: fc.constantFrom("m0", "m0", "m1", "m2", "m3") },
  { weight: 2, arbitrary: fc.constantFrom(...GROUPS) },
  { weight: 2, arbitrary: fc.constantFrom(...OUTSIDE, fourOf(0), fourOf(1), sixOf(0)) },
  { weight: 1, arbitrary: fc.constantFrom("192.0.2.0/24", "10.0.0.0/28", "2001:db8::/64") },
);

export const wanted: fc.Arbitrary<Wanted> = fc.record({
  from: end,
  to: end,
  service: fc.constantFrom("tcp/5432", "tcp/5432", "tcp/5432", "tcp/22", "tcp/80,443", "tcp/1-1000", "tcp", "udp/53", "icmp", "icmp6"),
});
