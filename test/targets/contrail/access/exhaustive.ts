import type { RawAddress, RawFabric, RawPorts, RawRule } from "../policy/brute.js";
import { fullOf, type Wanted } from "./worlds.js";

const EVERY: RawPorts = { start_port: -1, end_port: -1 };

/** The ways to write an end of a request as a side of a rule. */
function sidesOf(end: string): readonly RawAddress[] {
  const virtual_network = fullOf(end);
  if (!end.includes(".")) return [{ virtual_network }];
  const [ip_prefix = "", length = "32"] = end.split("/");
  const subnet = { ip_prefix, ip_prefix_len: Number(length) };
  return [{ virtual_network, subnet }, { subnet }];
}

function portsOf(service: string): readonly RawPorts[] {
  const [, ports] = service.split("/");
  return (ports ?? "").split(",").map((port) => ({ start_port: Number(port), end_port: Number(port) }));
}

function withRules(raw: RawFabric, at: number, policy_rule: readonly RawRule[]): RawFabric {
  return {
    ...raw,
    policies: raw.policies.map((policy, index) => (index === at ? { ...policy, network_policy_entries: { policy_rule } } : policy)),
  };
}

/** Each controller with the request added to one list of one rule. */
export function* singleEntries(raw: RawFabric, { from, to, service }: Wanted): Generator<readonly [string, RawFabric]> {
  for (const [at, policy] of raw.policies.entries()) {
    const rules = policy.network_policy_entries.policy_rule;
    for (const [index, rule] of rules.entries()) {
      if (rule.action_list?.simple_action !== "pass") continue;
      const sides = [...sidesOf(from), ...sidesOf(to)];
      const lists: readonly RawRule[] = [
        ...sides.map((side) => ({ ...rule, src_addresses: [...rule.src_addresses, side] })),
        ...sides.map((side) => ({ ...rule, dst_addresses: [...rule.dst_addresses, side] })),
        ...(service === "icmp" ? [] : [{ ...rule, dst_ports: [...rule.dst_ports, ...portsOf(service)] }]),
      ];
      for (const changed of lists)
        yield [
          `${policy.fq_name[2]}/${index}: ${JSON.stringify(changed)}`,
          withRules(
            raw,
            at,
            rules.map((each, place) => (place === index ? changed : each)),
          ),
        ];
    }
  }
}

/** Each controller with one new rule for exactly the request, at each place. */
export function* singleRules(raw: RawFabric, { from, to, service }: Wanted): Generator<readonly [string, RawFabric]> {
  for (const [at, policy] of raw.policies.entries()) {
    const rules = policy.network_policy_entries.policy_rule;
    for (const source of sidesOf(from))
      for (const destination of sidesOf(to))
        for (const direction of [">", "<>"] as const)
          for (let index = 0; index <= rules.length; index++) {
            const made: RawRule = {
              direction,
              protocol: service.split("/")[0] ?? "",
              src_addresses: [source],
              src_ports: [EVERY],
              dst_addresses: [destination],
              dst_ports: service === "icmp" ? [EVERY] : portsOf(service),
              action_list: { simple_action: "pass" },
            };
            yield [
              `${policy.fq_name[2]} at ${index}: ${JSON.stringify(made)}`,
              withRules(raw, at, [...rules.slice(0, index), made, ...rules.slice(index)]),
            ];
          }
  }
}

/** The controller without one rule. */
export function withoutRule(raw: RawFabric, at: number, index: number): RawFabric {
  const rules = raw.policies[at]?.network_policy_entries.policy_rule ?? [];
  return withRules(
    raw,
    at,
    rules.filter((_, place) => place !== index),
  );
}
