import { isSettled, type JudgedAssertion } from "../outcome/assertion.js";
import { formatFirewalls } from "../outcome/insight.js";
import type { Refusal } from "../plan/model.js";
import type { LiveFacts } from "./context.js";

const GUARD = "assertion";

/**
 * Refuses a plan that breaks an assertion. An empty assertion, or a strict one that does not hold, does not stop the writes: it only makes
 * the run end as refused.
 */
export function refuseAsserted({ asserted, desired, allow }: Pick<LiveFacts, "asserted" | "desired" | "allow">): Refusal[] {
  const allowed = new Set(allow.names(GUARD));
  return (asserted ?? []).flatMap((each): Refusal[] => {
    const isWrong = each.state === "empty" || (each.strict && !isSettled(each));
    if (allowed.has(each.name) || !(each.isByChange || isWrong)) return [];
    const origin = desired.assertions?.find(({ name }) => name === each.name)?.origin;
    const refusal = { guard: GUARD, message: messageOf(each), path: undefined, origin, allow: `--allow "${GUARD}=${each.name}"` };
    return [each.isByChange ? refusal : { ...refusal, stops: "subtree" }];
  });
}

function messageOf({ name, scope, firewalls = [], others, state, before, isByChange, why, witness, selected }: JudgedAssertion): string {
  const words = { broken: "is broken", unknown: "is not known to hold", empty: "matches nothing", holds: "holds" }[state];
  const more = isByChange && state === before ? `${words}, and this plan adds to it` : words;
  const by = isByChange && state !== before ? " by this plan" : "";
  const [first] = selected?.places ?? [];
  const rule = witness === undefined ? "" : `, rule ${witness.rule.name}`;
  const place = first?.xpath === undefined ? "" : `: ${first.xpath}${selected?.count === 1 ? "" : " and others"}`;
  const whose = firewalls.length === 0 ? scope : `${scope}, ${formatFirewalls(firewalls, others)}`;
  return `"${name}"${whose === "" ? "" : ` (${whose})`} ${more}${by}${rule}${place}${why.length === 0 ? "" : `: ${why.join(" ").replace(/\.$/, "")}`}.`;
}
