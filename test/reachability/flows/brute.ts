import type { Literal, Match, Named, Policy, Rule, Unknown, UserState, ZonePairs } from "../../../src/reachability/flows/policy.js";

/** One flow, and the unknown conditions that hold for it. */
export interface Flow {
  readonly from: string;
  readonly to: string;
  readonly source: bigint;
  readonly destination: bigint;
  readonly application: string;
  readonly protocol: number;
  readonly port: number;
  readonly sourcePort: number;
  readonly user: UserState;
  /** The true conditions, as `subject kind definition`. */
  readonly holding: ReadonlySet<string>;
}

export const truth = (subject: string, { kind, definition }: Unknown): string => `${subject} ${kind} ${definition}`;

/** Index of the deciding rule, or the number of rules if there is none. Evaluates one rule after another, like a person. */
export function decider(policy: Policy, flow: Flow): number {
  const at = policy.rules.findIndex((rule) => matches(rule, flow));
  return at === -1 ? policy.rules.length : at;
}

export const verdictAt = ({ rules, otherwise }: Policy, at: number): string => rules[at]?.verdict ?? otherwise;

export function matches(rule: Omit<Rule, "key" | "origin" | "verdict" | "action">, flow: Flow): boolean {
  return (
    inZones(rule.zones, flow) &&
    inMatch(rule.source, "source", flow, ({ first, last }) => first <= flow.source && flow.source <= last) &&
    inMatch(rule.destination, "destination", flow, ({ first, last }) => first <= flow.destination && flow.destination <= last) &&
    (rule.users === "any" ||
      rule.users.states.includes(flow.user) ||
      (flow.user === "known" && rule.users.unknowns.some((unknown) => flow.holding.has(truth("user", unknown))))) &&
    rule.conditions.every((anyOf) => anyOf.some((literal) => holds(literal, flow))) &&
    rule.traffic.some(
      ({ applications, services, conditions = [] }) =>
        inMatch(applications, "application", flow, (name) => name === flow.application) &&
        inMatch(
          services,
          "service",
          flow,
          (range) =>
            range.protocol === flow.protocol &&
            range.first <= flow.port &&
            flow.port <= range.last &&
            (range.sourcePorts?.some(({ first, last }) => first <= flow.sourcePort && flow.sourcePort <= last) ?? true),
        ) &&
        conditions.every((anyOf) => anyOf.some((literal) => holds(literal, flow))),
    )
  );
}

const holds = ({ unknown, holds: positive }: Literal, flow: Flow): boolean => flow.holding.has(truth("circumstance", unknown)) === positive;

function inZones({ type, from, to }: ZonePairs, flow: Flow): boolean {
  if (from !== "any" && !from.includes(flow.from)) return false;
  if (type === "intrazone") return flow.from === flow.to;
  return (to === "any" || to.includes(flow.to)) && (type === "universal" || flow.from !== flow.to);
}

function inMatch<Value>(match: Match<Value>, subject: string, flow: Flow, has: (value: Value) => boolean): boolean {
  if (match === "any") return true;
  const inside = (object: Named<Value>): boolean =>
    object.values.some(has) || object.unknowns.some((unknown) => flow.holding.has(truth(subject, unknown))) || object.members.some(inside);
  return match.objects.some(inside) !== match.negated;
}
