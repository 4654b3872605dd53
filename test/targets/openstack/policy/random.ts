import fc from "fast-check";
import type { Packet } from "./brute.js";
import type { RawProject, RawRule } from "./project.js";

const NAMES = ["a", "b", "c"];
const PORTS = ["p", "q", "r"];

const rule: fc.Arbitrary<RawRule> = fc
  .record({
    direction: fc.constantFrom<RawRule["direction"]>("ingress", "egress"),
    ethertype: fc.constantFrom(undefined, "IPv4", "IPv6"),
    protocol: fc.constantFrom(undefined, "any", "tcp", "udp", "icmp"),
    ports: fc.constantFrom(undefined, [22, 22], [80, 443]),
    remote: fc.constantFrom(undefined, "group", "wide", "narrow"),
    group: fc.constantFrom(...NAMES),
  })
  .map(({ direction, ethertype, protocol, ports, remote, group }) => {
    const six = ethertype === "IPv6";
    const prefix =
      remote === "wide" ? (six ? "::/0" : "0.0.0.0/0") : remote === "narrow" ? (six ? "2001:db8::/64" : "10.0.0.0/24") : undefined;
    const [low, high] = protocol === "tcp" || protocol === "udp" ? (ports ?? []) : [];
    return {
      direction,
      ethertype,
      protocol,
      port_range_min: low,
      port_range_max: high,
      remote_ip_prefix: prefix,
      remote_group: remote === "group" ? group : undefined,
    };
  });

/** Rules, some of them with a twin that differs only in its IP family: the default group has such a pair. */
const rules: fc.Arbitrary<RawRule[]> = fc.array(fc.tuple(rule, fc.boolean()), { maxLength: 4 }).map((rows) =>
  rows.flatMap(([each, hasTwin]) => {
    if (!hasTwin || each.remote_ip_prefix !== undefined) return [each];
    return [each, { ...each, ethertype: each.ethertype === "IPv6" ? ("IPv4" as const) : ("IPv6" as const) }];
  }),
);

/** The rules that every new group gets. */
export const free: readonly RawRule[] = [{ direction: "egress" }, { direction: "egress", ethertype: "IPv6" }];

/** Three groups, and three ports in some of them. */
export const project: fc.Arbitrary<RawProject> = fc.record({
  groups: fc
    .tuple(...NAMES.map(() => fc.tuple(fc.boolean(), rules)))
    .map((all) => Object.fromEntries(all.map(([isFree, rules], at) => [NAMES[at] ?? "", isFree ? [...free, ...rules] : rules]))),
  ports: fc
    .tuple(...PORTS.map(() => fc.record({ groups: fc.subarray(NAMES), open: fc.constantFrom(undefined, undefined, undefined, true) })))
    .map((all) => Object.fromEntries(all.map((port, at) => [PORTS[at] ?? "", port]))),
});

/** From a port or from outside, to another. */
export const packet: fc.Arbitrary<Packet> = fc
  .record({
    from: fc.constantFrom(undefined, ...PORTS),
    to: fc.constantFrom(undefined, ...PORTS),
    six: fc.boolean(),
    near: fc.tuple(fc.boolean(), fc.boolean()),
    protocol: fc.constantFrom<Packet["protocol"]>("tcp", "udp", "icmp"),
    port: fc.constantFrom(22, 80, 443, 444, 5432),
  })
  .filter(({ from, to }) => from !== to)
  .map(({ from, to, six, near: [source, destination], protocol, port }) => {
    const address = (isNear: boolean) => (six ? (isNear ? "2001:db8::1" : "2001:db9::1") : isNear ? "10.0.0.9" : "192.0.2.9");
    return { from, to, source: address(source), destination: address(destination), protocol, port };
  });
