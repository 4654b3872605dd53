import { judge } from "../reachability/flows/assertion.js";
import { Budget } from "../reachability/flows/budget.js";
import { type CompiledPolicy, END_LEVEL, type Model } from "../reachability/flows/compile.js";
import { opposite } from "../reachability/flows/conjunctions.js";
import { decidedBy, type Part } from "../reachability/flows/decide.js";
import type { Rule, RuleKey } from "../reachability/flows/policy.js";
import { DEFAULT_LEVEL, FQDN, USER } from "../reachability/flows/policy.js";
import { RuleIndex } from "../reachability/flows/rule-index.js";
import { type Box, PLACE, type Space } from "../reachability/flows/space.js";
import type { Field } from "./request.js";

/**
 * How a rulebase treats the flows of a request. `allowed`: all of them, certainly. `conditional`: unknown facts decide. `denied`: some are
 * certainly denied. `empty`: the request selects no flow. `undecided`: the rules are too complex.
 */
export type AccessState = "allowed" | "conditional" | "denied" | "empty" | "undecided";

/** Returns how a policy treats the flows of a question, under the conditions of the question. */
export function stateOf(model: Model, policy: CompiledPolicy, question: readonly Box[]): AccessState {
  return STATES[judge(model, policy, { verdict: "allow", some: false, flows: question, except: [], isGiven: true }).state];
}

/** Kinds of unknowns of which two with other names are assumed to have nothing in common. */
const APART: ReadonlySet<string> = new Set([FQDN, USER]);

/**
 * As `stateOf`. Assumes that a requested FQDN has other addresses than the FQDNs of rules that allow flows, and that a requested user is
 * not one of other users.
 */
export function requestState(model: Model, policy: CompiledPolicy, question: readonly Box[]): AccessState {
  const state = stateOf(model, policy, question);
  if (state !== "conditional") return state;
  const { conditions } = model.space;
  const namesOf = (boxes: readonly Box[]) =>
    boxes.flatMap((box) =>
      conditions
        .literals(box[PLACE.condition] as number)
        .filter((literal) => literal < opposite(literal) && APART.has(conditions.unknownOf(literal).unknown.kind)),
    );
  const asked = new Set(namesOf(question));
  const sides = new Set([...asked].map((literal) => conditions.unknownOf(literal).subject));
  if (sides.size === 0) return state;
  const isOther = (literal: number) => !asked.has(literal) && sides.has(conditions.unknownOf(literal).subject);
  const rules = policy.rules.map((each) =>
    each.rule.verdict === "allow" ? { ...each, boxes: each.boxes.filter((box) => !namesOf([box]).some(isOther)) } : each,
  );
  return stateOf(model, { ...policy, rules, index: new RuleIndex(model.space, rules) }, question) === "denied" ? "denied" : state;
}

const STATES = { holds: "allowed", broken: "denied", "not proven": "conditional", undecided: "undecided", empty: "empty" } as const;

/** The denied flows of a request, and the places where rules could allow them. */
export interface Gap {
  /** Denied flows, without those that only rules with unknown conditions deny. Only the conditions of the request remain. */
  readonly boxes: readonly Box[];
  /** Topmost rule that denies some of them whatever the unknown facts are. Undefined: a default rule, or no rule. */
  readonly stopper: RuleKey | undefined;
  /** Rules that deny flows of the request only under conditions. They stay above a new rule. */
  readonly conditional: readonly Rule[];
  /** Rules that would allow all denied flows with one more member in one field. */
  readonly nearly: readonly Nearly[];
}

interface Nearly {
  readonly rule: RuleKey;
  readonly field: Field;
  /** Also the services must match more. This is only so for applications on their default services. */
  readonly byDefault?: boolean;
}

/** Returns undefined if the rules are too complex. */
export function gapOf(model: Model, policy: CompiledPolicy, question: readonly Box[]): Gap | undefined {
  const { space } = model;
  const parts = deniedParts(model, policy, question);
  if (parts === undefined) return undefined;
  const places = [...new Set(parts.map(({ at }) => at))].sort((a, b) => a - b);
  const firm = places.filter((at) => deniesFirmly(space, policy, at, question));
  const boxes = space.disjoint(parts.filter(({ at }) => firm.includes(at)).map(({ box, given }) => box.with(PLACE.condition, given)));
  const stopper = policy.rules[firm[0] ?? -1]?.rule;
  const isOwn = stopper !== undefined && stopper.key.level !== DEFAULT_LEVEL && stopper.key.level !== END_LEVEL;
  return {
    boxes,
    stopper: isOwn ? stopper.key : undefined,
    conditional: places.filter((at) => !firm.includes(at)).map((at) => policy.rules[at]?.rule as Rule),
    nearly: boxes.length === 0 ? [] : nearlyAllowing(space, policy, boxes),
  };
}

interface DeniedPart extends Part {
  /** Condition of the question. */
  readonly given: number;
}

/** Returns the parts of a question that rules deny. Undefined if there are too many. */
export function deniedParts({ space }: Model, policy: CompiledPolicy, question: readonly Box[]): readonly DeniedPart[] | undefined {
  const effort = new Budget();
  const isDenied = (at: number) => policy.rules[at]?.rule.verdict !== "allow";
  const parts = space.disjoint(question).map((box) => {
    const given = box[PLACE.condition] as number;
    return decidedBy(space, [box], policy.index.meeting(box), isDenied, effort)?.map((part) => ({ ...part, given }));
  });
  return parts.every((each) => each !== undefined) ? parts.flat() : undefined;
}

/** Returns whether the rule itself matches flows of the question without an unknown condition other than those of the question. */
export function deniesFirmly(space: Space, policy: CompiledPolicy, at: number, question: readonly Box[]): boolean {
  const boxes = policy.rules[at]?.boxes ?? [];
  const isGiven = (each: Box, box: Box) => space.conditions.implies(each[PLACE.condition] as number, box[PLACE.condition] as number);
  return boxes.some((box) => question.some((each) => space.meets(each, box) && isGiven(each, box)));
}

function nearlyAllowing(space: Space, { rules }: CompiledPolicy, gap: readonly Box[]): Gap["nearly"] {
  return rules.flatMap(({ rule, boxes }) => {
    if (rule.verdict !== "allow" || rule.key.level === DEFAULT_LEVEL || rule.key.level === END_LEVEL) return [];
    // An interzone rule for one zone matches nothing, so it has no box.
    const isEmpty = boxes.length === 0 && rule.zones.type === "interzone";
    const fields = new Set(isEmpty ? (["from", "to"] as const) : boxes.flatMap((box) => missingFields(space, gap, box)));
    return [...fields].map((field): Nearly => {
      return field === BY_DEFAULT ? { rule: rule.key, field: "application", byDefault: true } : { rule: rule.key, field };
    });
  });
}

/** Applications and services are missing: a rule that matches applications on their default services may need only the application. */
const BY_DEFAULT = "application on its default";

const FIELD_OF: ReadonlyMap<number, readonly Field[]> = new Map([
  [PLACE.zones, ["from", "to"]],
  [PLACE.service, ["service"]],
  [PLACE.sourcePort, ["service"]],
  [PLACE.application, ["application"]],
  [PLACE.source, ["source"]],
  [PLACE.destination, ["destination"]],
  [PLACE.user, ["source-user"]],
]);

/** Returns the fields of which one, if it also matched the gap, would let the box contain it. Empty if more than one field is missing. */
function missingFields(space: Space, gap: readonly Box[], box: Box): readonly (Field | typeof BY_DEFAULT)[] {
  const missing = new Set<string>();
  for (const part of gap) {
    for (const [place, sets] of space.axes.entries())
      if (!sets.within(part[place] as number, box[place] as number)) missing.add((FIELD_OF.get(place) ?? ["other"]).join());
    const has = space.conditions.literals(part[PLACE.condition] as number);
    for (const literal of space.conditions.literals(box[PLACE.condition] as number)) {
      if (has.includes(literal)) continue;
      const { subject } = space.conditions.unknownOf(literal);
      // A literal that must not hold comes from a negated field.
      const field = subject === "user" ? "source-user" : isField(subject) ? subject : "other";
      missing.add(literal < opposite(literal) ? field : "other");
    }
  }
  if ([...missing].sort().join() === "application,service") return [BY_DEFAULT];
  const [first, ...more] = missing;
  if (first === undefined || more.length > 0 || first === "other") return [];
  return first.split(",") as Field[];
}

function isField(subject: string): subject is Field {
  return ["source", "destination", "service", "application"].includes(subject);
}
