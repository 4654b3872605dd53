import { expect } from "vitest";
import { addressNumber } from "../../../../src/core/address-range.js";
import type { Policy } from "../../../../src/reachability/flows/policy.js";
import { rulebasesOf } from "../../../../src/targets/contrail/policy/policies.js";
import { decider, truth, verdictAt } from "../../../reachability/flows/brute.js";
import { type Decision, decide, type Packet, type RawFabric } from "./brute.js";
import { treeOf } from "./fabric.js";

/** Fails if translation and interpreter differ for one of these packets, with and without connecting route targets. */
export function agree(raw: RawFabric, packets: readonly Packet[], joining: readonly boolean[] = [true, false]): void {
  const [policy, places] = [policyOf(raw), placesOf(raw)];
  const unknowns = policy.rules.flatMap(({ conditions }) => conditions.flat().map(({ unknown }) => truth("circumstance", unknown)));
  for (const each of packets)
    for (const leads of joining) {
      const { verdict, rules } = decide(raw, each, leads);
      const found = said(policy, places, each, new Set(leads ? unknowns : []));
      const is = { ...found, rules: rules && found.rules };
      const wanted = { verdict, rules };
      // Creating an expectation takes longer than everything before it.
      if (JSON.stringify(is) !== JSON.stringify(wanted)) expect(is, JSON.stringify(each)).toEqual(wanted);
    }
}

/** The result of the translation for a packet, given the values of the unknown conditions. */
function said(policy: Policy, places: ReadonlyMap<string, string>, packet: Packet, holding: ReadonlySet<string>): Decision {
  const at = decider(policy, {
    ...packet,
    from: packet.from.replace(/.*:/, ""),
    to: packet.to.replace(/.*:/, ""),
    source: addressNumber(packet.source) ?? 0n,
    destination: addressNumber(packet.destination) ?? 0n,
    application: "",
    user: "known",
    holding,
  });
  const verdict = verdictAt(policy, at) as Decision["verdict"];
  return { verdict, rules: (policy.rules[at]?.parts ?? []).map((part) => places.get(part) ?? part).sort() };
}

/** `domain:project:policy/place` of each rule, by its path. */
function placesOf(raw: RawFabric): ReadonlyMap<string, string> {
  const [list] = treeOf(raw).children;
  return new Map(
    (list?.children ?? []).flatMap((policy) => {
      const rules = policy.children.find(({ tag }) => tag === "network_policy_entries")?.children[0]?.children ?? [];
      const place = `/contrail/network-policys/entry[@name='${policy.name}']/network_policy_entries/policy_rule`;
      return rules.map((rule, at): [string, string] => [`${place}/entry[@name='${rule.name}']`, `${policy.name}/${at}`]);
    }),
  );
}

export function policyOf(raw: RawFabric): Policy {
  const logicalRouters = raw.isWithoutRouters === true ? "disabled" : "enabled";
  // The interpreter orders policies with equal sequence like the list of the network.
  const [policy] = rulebasesOf([treeOf(raw)], { logicalRouters, equalSequence: "as listed" })[0].policies();
  if (policy === undefined) throw new Error("there is a policy");
  return policy;
}
