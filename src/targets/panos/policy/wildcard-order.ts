import type { AddressRange, Literal, Match, Named, Rule } from "../../../insight/policy.js";
import { leadingPrefix, type Wildcard } from "./address-text.js";
import type { Addresses } from "./addresses.js";

const SIDES = ["source", "destination"] as const;

interface WildcardRule {
  readonly rule: Rule;
  readonly wildcards: readonly { readonly side: string; readonly wildcard: Wildcard }[];
}

/**
 * Rules with wildcard addresses are not judged in order unless the device is told so: the one with the longest leading prefix is
 * taken, and no other one is looked at. Those whose leading prefixes overlap may match, each by itself
 * (docs/contributing/flow-analysis.md#wildcard-addresses).
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
  const reason = "of wildcard rules that overlap the device takes the one with the longest prefix, whatever their order";
  return {
    unknown: { kind: "wildcard order", definition: `${at} of ${all}`, name: `${key.name} is the wildcard rule that is taken`, reason },
    holds: true,
  };
}

function overlap(one: WildcardRule, other: WildcardRule): boolean {
  return one.wildcards.some((mine) =>
    other.wildcards.some((theirs) => {
      // A session has both: what begins like the one in its source may begin like the other in its destination.
      if (mine.side !== theirs.side) return true;
      const [a, b] = [leadingPrefix(mine.wildcard), leadingPrefix(theirs.wildcard)];
      return a.first <= b.last && b.first <= a.last;
    }),
  );
}

function wildcardsIn(match: Match<AddressRange>, addresses: Addresses): readonly Wildcard[] {
  return match === "any" ? [] : match.objects.flatMap((object: Named<AddressRange>) => addresses.wildcards.get(object) ?? []);
}
