import { type CompiledPolicy, compile, type Model } from "../reachability/flows/compile.js";
import { meeting } from "../reachability/flows/may-match.js";
import { pairRules } from "../reachability/flows/pairing.js";
import type { FlowSet, Policy, Rule } from "../reachability/flows/policy.js";
import type { Box } from "../reachability/flows/space.js";

/** Two versions of a policy in one model, without the rules that the change and the requests do not concern. */
export interface Comparison {
  readonly model: Model;
  readonly before: CompiledPolicy;
  readonly after: CompiledPolicy;
  /** The flows of all requests. */
  readonly question: readonly Box[];
  /** Rules of both versions that are added, removed, moved, or have other content. */
  readonly changed: ReadonlySet<Rule>;
}

/** Number of changed rules and requests above which all rules are compiled, because the check of each pair would take longer. */
const MOST_FLOWS = 1000;

/**
 * Compiles the rules that may match a requested flow, or a flow that a changed rule matches. Unchanged rules have the same order in both
 * versions. So the same rule decides each other flow before and after the change, and the compiled rules decide the concerned flows as all
 * rules do.
 */
export function compareConcerned(before: Policy, after: Policy, requests: readonly FlowSet[] = []): Comparison {
  const changed = changedRules(before, after);
  const flows = [...changed, ...requests];
  const kept = (policy: Policy): Policy => {
    if (flows.length > MOST_FLOWS) return policy;
    const met = new Set(meeting(policy, flows).rules);
    return { ...policy, rules: policy.rules.filter((rule) => met.has(rule) || changed.has(rule)) };
  };
  const model = compile([kept(before), kept(after)], requests);
  const [one, other] = model.policies;
  if (one === undefined || other === undefined) throw new Error("two policies make two");
  return { model, before: one, after: other, question: model.questions.flat(), changed };
}

/** Compiles the rules that may match flows of a request. With `misses` 1 also those that match them after a change of one field. */
export function compileMeeting(
  policy: Policy,
  flows: FlowSet,
  misses: 0 | 1 = 0,
): { readonly model: Model; readonly compiled: CompiledPolicy; readonly question: readonly Box[] } {
  const model = compile([meeting(policy, [flows], misses)], [flows]);
  const [compiled] = model.policies;
  if (compiled === undefined) throw new Error("one policy makes one");
  return { model, compiled, question: model.questions.flat() };
}

function changedRules(before: Policy, after: Policy): ReadonlySet<Rule> {
  const changed = new Set([...before.rules, ...after.rules]);
  const same = new Map<object, object>();
  const wrap = ({ rules }: Policy) => rules.map((rule) => ({ rule }));
  for (const pair of pairRules(wrap(before), wrap(after))) {
    const [one, other] = [before.rules[pair.before] as Rule, after.rules[pair.after] as Rule];
    if (!pair.inOrder || !isSame(one, other, same)) continue;
    changed.delete(one);
    changed.delete(other);
  }
  return changed;
}

/** Properties without an effect on flows. */
const WITHOUT_EFFECT = new Set(["origin", "asOf"]);

/** Compares two plain values. `same` contains equal objects, because many rules may use one group. */
function isSame(one: unknown, other: unknown, same: Map<object, object>): boolean {
  if (one === other) return true;
  if (typeof one !== "object" || typeof other !== "object" || one === null || other === null) return false;
  if (same.get(one) === other) return true;
  const [mine, theirs] = [one as Readonly<Record<string, unknown>>, other as Readonly<Record<string, unknown>>];
  const keys = Object.keys(mine);
  if (keys.length !== Object.keys(theirs).length) return false;
  for (const key of keys) if (!WITHOUT_EFFECT.has(key) && !isSame(mine[key], theirs[key], same)) return false;
  same.set(one, other);
  return true;
}
