import { addressRange } from "../../core/address-range.js";
import { PlumblineError } from "../../core/errors.js";
import { type FlowAssertion, flowsTo } from "../../desired/assertions.js";
import type { SourceMap } from "../../desired/source-map.js";
import { type AssertionState, type AssertionWitness, gravityOf, type JudgedAssertion } from "../../outcome/assertion.js";
import type { FlowPath, ReachAnswer } from "../../outcome/reach.js";
import type { AddressRange, Named, Policy } from "../flows/policy.js";
import type { Rulebase } from "../policy-role.js";
import { pathIn } from "../questions/format-reach.js";
import { declaredAssertion } from "./declared-assertion.js";

interface Finding {
  readonly state: AssertionState;
  readonly why: readonly string[];
  readonly witness?: AssertionWitness | undefined;
  /** The result depends only on a doubt that also exists without the change. */
  readonly isDoubt?: boolean;
}

/** Required destination. No zones: any zone. */
interface Wanted {
  readonly objects: readonly Named<AddressRange>[];
  readonly words: string;
  readonly zones: readonly string[];
}

type Walked = FlowPath["ways"][number];

/**
 * Judges an assertion with `reaches`: the destination of its flow by routes, NAT and rules, before and after a change, on each possible
 * path. `policies`: by version of the rulebase.
 */
export function judgeSent(
  rulebase: Rulebase,
  policies: readonly (Policy | undefined)[],
  assertion: FlowAssertion,
  sources: SourceMap,
): JudgedAssertion {
  const last = policies.length - 1;
  const is = findingOf(rulebase, last, policies[last], assertion);
  const was = last === 0 || rulebase.isSame ? is : findingOf(rulebase, 0, policies[0], assertion);
  const gravity = ({ state, isDoubt }: Finding) => gravityOf(isDoubt === true ? "holds" : state);
  const isAccepted = assertion.acceptsUnknowns !== undefined && is.state === "unknown";
  return {
    ...declaredAssertion(assertion, sources),
    scope: rulebase.scope,
    state: is.state,
    before: was.state,
    isByChange: gravity(is) > gravity(was) && !isAccepted,
    why: is.why,
    witness: is.witness,
  };
}

function findingOf(rulebase: Rulebase, version: number, policy: Policy | undefined, { flows, reaches = [] }: FlowAssertion): Finding {
  if (policy === undefined) return { state: "empty", why: [`There is no rulebase "${rulebase.scope}".`] };
  try {
    const path = pathIn(policy, rulebase, { ...flows, to: [] }, version);
    if (path === undefined) return { state: "empty", why: ["Flows are not followed through such a target."] };
    const wanted = rulebase.flows(version, flowsTo(reaches)).destination;
    const objects = wanted === "any" ? [] : wanted.objects;
    const [first, ...others] = path.ways.map((way) => wayFinding(way, { objects, words: reaches.join(", "), zones: flows.to }));
    if (first === undefined) return { state: "empty", why: [`The path through "${rulebase.scope}" is unknown.`] };
    const gravest = others.reduce((one, other) => (gravityOf(other.state) > gravityOf(one.state) ? other : one), first);
    if (gravest.state !== "holds" || path.doubts.length === 0) return gravest;
    return { state: "unknown", why: path.doubts, isDoubt: true };
  } catch (error) {
    if (error instanceof PlumblineError && error.code === "flow-not-understood") return { state: "empty", why: [error.message] };
    throw error;
  }
}

/** Judges one path. A violation on a conditional path is "unknown". */
function wayFinding(way: Walked, wanted: Wanted): Finding {
  const found = certainFinding(way, wanted);
  if (found.state === "holds" || way.conditions.length === 0) return found;
  return { ...found, state: "unknown", why: [...found.why, `if ${way.conditions.join(" and ")}`] };
}

function certainFinding({ ends, reaches, translation, to, answers }: Walked, { objects, words, zones }: Wanted): Finding {
  if (ends !== undefined) return { state: "broken", why: [ends] };
  const place = reaches === undefined ? undefined : addressRange(reaches);
  const isThere = place === undefined ? undefined : holds(objects, place);
  const by = translation === undefined ? "no NAT rule" : `NAT rule ${translation.rule}`;
  if (isThere === undefined)
    return {
      state: "unknown",
      why: [`It reaches ${reaches ?? "an unknown destination"}, by ${by}. Whether that is ${words} is not known.`],
    };
  if (!isThere) return { state: "broken", why: [`It comes to ${reaches}, by ${by}, and not to ${words}.`] };
  if (to !== undefined && zones.length > 0 && !zones.includes(to.zone))
    return { state: "broken", why: [`It leaves to ${to.zone}, and not to ${zones.join(", ")}.`] };
  const against = answers.filter(({ verdict }) => verdict !== "allow");
  const certain = against.find(({ conditions, undecided }) => conditions.length === 0 && !undecided);
  const [first = certain] = against;
  if (first === undefined) return { state: "holds", why: [] };
  return { state: certain === undefined ? "unknown" : "broken", why: [], witness: witnessOf(certain ?? first) };
}

function witnessOf({ rule, where, flows, conditions }: ReachAnswer): AssertionWitness | undefined {
  const [flow] = flows;
  return flow === undefined ? undefined : { rule: { name: rule, where }, flow, condition: conditions.join(", or ") };
}

/** Undefined if only unknown content may include the range. */
function holds(objects: readonly Named<AddressRange>[], { first, last }: AddressRange): boolean | undefined {
  const all = objects.flatMap(within);
  if (all.some(({ values }) => values.some((range) => range.first <= first && last <= range.last))) return true;
  return all.some(({ unknowns }) => unknowns.length > 0) ? undefined : false;
}

function within(object: Named<AddressRange>): Named<AddressRange>[] {
  return [object, ...object.members.flatMap(within)];
}
