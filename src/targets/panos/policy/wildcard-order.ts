import type { AddressRange, Literal, Match, Named, Rule } from "../../../reachability/flows/policy.js";
import { leadingPrefix, type Wildcard } from "./address-text.js";
import type { Addresses } from "./addresses.js";

const SIDES = ["source", "destination"] as const;

interface WildcardRule {
  readonly rule: Rule;
  readonly wildcards: readonly { readonly side: string; readonly wildcard: Wildcard }[];
}

/**
 * Without a setting, devices do not evaluate rules with wildcard addresses in order: only the rule with the longest leading prefix is used.
 * Each of the rules with overlapping leading prefixes may therefore match (docs/contributing/flow-analysis.md#wildcard-addresses).
 */
export function withWildcardDoubts(rules: readonly Rule[], addresses: Addresses): readonly Rule[] {
  const concerned = rules.flatMap((rule): WildcardRule[] => {
    const wildcards = SIDES.flatMap((side) => wildcardsIn(rule[side], addresses).map((wildcard) => ({ side, wildcard })));
    return wildcards.length === 0 ? [] : [{ rule, wildcards }];
  });
  const doubtful = concerned.filter((one) => concerned.some((other) => other !== one && overlap(one, other)));
  if (doubtful.length === 0) return rules;
  const all = doubtful
    .map(({ wildcards }) => wildcards.map(({ side, wildcard: { base, free } }) => `${side} ${base}/${free}`).join(" "))
    .join("; ");
  const literals = new Map(doubtful.map(({ rule }, at) => [rule, taken(rule, at, all)]));
  return rules.map((rule) => {
    const literal = literals.get(rule);
    return literal === undefined ? rule : { ...rule, conditions: [...rule.conditions, [literal]] };
  });
}

function taken({ key }: Rule, at: number, all: string): Literal {
  const reason = "the device uses the overlapping wildcard rule with the longest prefix, in any order";
  return {
    unknown: { kind: "wildcard order", definition: `${at} of ${all}`, name: `${key.name} is the wildcard rule that is used`, reason },
    holds: true,
  };
}

function overlap(one: WildcardRule, other: WildcardRule): boolean {
  return one.wildcards.some((mine) =>
    other.wildcards.some((otherWildcard) => {
      // A session has a source and a destination, so wildcards on different sides may both match.
      if (mine.side !== otherWildcard.side) return true;
      const [a, b] = [leadingPrefix(mine.wildcard), leadingPrefix(otherWildcard.wildcard)];
      return a.first <= b.last && b.first <= a.last;
    }),
  );
}

function wildcardsIn(match: Match<AddressRange>, addresses: Addresses): readonly Wildcard[] {
  return match === "any" ? [] : match.objects.flatMap((object: Named<AddressRange>) => addresses.wildcards.get(object) ?? []);
}
