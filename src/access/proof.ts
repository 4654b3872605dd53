import type { CompiledPolicy, Model } from "../reachability/flows/compile.js";
import { differenceOf } from "../reachability/flows/difference.js";
import type { LintFinding } from "../reachability/flows/lint.js";
import type { FlowSet, Policy, Rule } from "../reachability/flows/policy.js";
import { type Region, regionOf } from "../reachability/flows/region.js";
import type { Row } from "../reachability/flows/rows.js";
import type { Box } from "../reachability/flows/space.js";
import { unite } from "../reachability/flows/unite.js";
import { compareConcerned } from "./concerned-rules.js";
import { newFindings } from "./new-findings.js";
import { deniedParts, deniesFirmly, stateOf } from "./situation.js";

/** Effect of a draft on flows, compared with the request. */
export interface Proof {
  /** Reasons why the draft must not be used, as sentences. Empty: its openings are the request, apart from `excess`. */
  readonly faults: readonly string[];
  /** Flows outside the request that it opens. */
  readonly excess: readonly Region[];
  readonly model: Model;
  /** Rules that still deny flows of the request, under conditions that the configuration does not decide. */
  readonly stillDenied: readonly Rule[];
  /** True if some flows of the request that were allowed before get other logs or profiles. */
  readonly changesTreatment: boolean;
}

/**
 * Compares two versions of a policy with requests. Opened flows must be the flows of the requests. No flow may close, no other flow may be
 * handled differently, and no rule may lose its effect.
 *
 * @param isNeeded False if the requests are allowed already. Then a new rule may be redundant: other firewalls need it.
 */
export function prove(before: Policy, after: Policy, requests: readonly FlowSet[], isNeeded = true): Proof {
  const versions = [treated(before), treated(after)] as const;
  const compared = compareConcerned(...versions, requests);
  const { model, question } = compared;
  const difference = differenceOf(model, compared.before, compared.after);
  const faults = difference.undecided.length > 0 ? ["The effect of the edit is too complex to be calculated."] : [];
  const excess: Box[] = [];
  let changesTreatment = false;
  for (const row of difference.rows) {
    const { kind, boxes } = extentOf(row);
    const beyond = model.space.minusAll(boxes, question);
    if (kind === "closed") faults.push(`It would stop flows that ${namesOf(row.before.rules)} allows.`);
    else if (kind === "opened") excess.push(...beyond);
    else if (beyond.length > 0) faults.push(`It would change logs or profiles of flows that ${namesOf(row.before.rules)} allows.`);
    else changesTreatment = true;
  }
  const still = stillDenied(model, withPlainVerdicts(compared.before), withPlainVerdicts(compared.after), question);
  if (still === undefined) faults.push("It would not allow all flows of the request.");
  if (isNeeded) faults.push(...newFindings(...versions, compared).map((finding) => findingText(finding)));
  const regions = unite(model.space, model.space.disjoint(excess)).map((box) => regionOf(model, box));
  return { faults: [...new Set(faults)], excess: regions, model, stillDenied: still ?? [], changesTreatment };
}

/** Flows that a change of rules opens, closes, or handles with other logs or profiles. */
export interface Effect {
  readonly model: Model;
  readonly opened: readonly Region[];
  readonly closed: readonly Region[];
  readonly handled: readonly Region[];
  /** False: the rules are too complex, and there may be more flows. */
  readonly isComplete: boolean;
}

/** Returns the effect of a change of rules on all flows. */
export function effectOf(before: Policy, after: Policy): Effect {
  const { model, before: one, after: other } = compareConcerned(treated(before), treated(after));
  const difference = differenceOf(model, one, other);
  const boxes = { opened: [] as Box[], closed: [] as Box[], handled: [] as Box[] };
  for (const row of difference.rows) {
    const extent = extentOf(row);
    boxes[extent.kind].push(...extent.boxes);
  }
  const regions = (all: readonly Box[]) => unite(model.space, model.space.disjoint(all)).map((box) => regionOf(model, box));
  return {
    model,
    opened: regions(boxes.opened),
    closed: regions(boxes.closed),
    handled: regions(boxes.handled),
    isComplete: difference.undecided.length === 0,
  };
}

/** Returns whether a change of rules certainly changes no flow, neither its verdict nor its logs and profiles. */
export function changesNothing(before: Policy, after: Policy): boolean {
  const { model, before: one, after: other } = compareConcerned(treated(before), treated(after));
  const { rows, undecided } = differenceOf(model, one, other);
  return rows.length === 0 && undecided.length === 0;
}

/** A verdict with its logs and profiles, so that the difference contains flows whose handling changes. */
export function treated(policy: Policy): Policy {
  const rules = policy.rules.map((rule) => (rule.verdict === "allow" ? { ...rule, verdict: `allow\n${rule.treatment ?? ""}` } : rule));
  return { ...policy, rules };
}

/** Returns a policy with the plain verdicts of a treated one. */
export function withPlainVerdicts(policy: CompiledPolicy): CompiledPolicy {
  const rules = policy.rules.map((each) => ({ ...each, rule: { ...each.rule, verdict: plain(each.rule.verdict) } }));
  return { ...policy, rules };
}

const plain = (verdict: string): string => verdict.split("\n", 1)[0] ?? "";

/** Returns the flows of a row, and whether they open, close, or get other logs or profiles. */
export function extentOf({ before, after, extent }: Row): {
  readonly kind: "opened" | "closed" | "handled";
  readonly boxes: readonly Box[];
} {
  const [was, is] = [plain(before.verdict), plain(after.verdict)];
  const kind = was === is ? "handled" : is === "allow" ? "opened" : "closed";
  return { kind, boxes: extent.kind === "boxes" ? extent.boxes : extent.wholes.map(({ box }) => box) };
}

function namesOf(rules: readonly Rule[]): string {
  return [...new Set(rules.map(({ key }) => `rule "${key.name}"`))].join(", ");
}

/**
 * Returns the rules that deny flows of the request after the edit, all of them under unknown conditions and denying already before.
 * Undefined if a flow of the request may be denied otherwise.
 */
function stillDenied(model: Model, before: CompiledPolicy, after: CompiledPolicy, question: readonly Box[]): readonly Rule[] | undefined {
  if (question.length === 0) return [];
  const state = stateOf(model, after, question);
  if (state === "allowed") return [];
  const parts = state === "conditional" ? deniedParts(model, after, question) : undefined;
  if (parts === undefined) return undefined;
  const places = [...new Set(parts.map(({ at }) => at))];
  if (places.some((at) => deniesFirmly(model.space, after, at, question))) return undefined;
  const known = new Set(before.rules.map(({ rule }) => JSON.stringify(rule.key)));
  const rules = places.flatMap((at) => after.rules[at]?.rule ?? []);
  return rules.every(({ key }) => known.has(JSON.stringify(key))) ? rules : undefined;
}

function findingText(finding: LintFinding): string {
  const { name } = finding.rule.key;
  if (finding.kind === "shadowed") return `Rule "${name}" would never be reached: ${namesOf(finding.by)} would match first.`;
  return `Rule "${name}" would be redundant.`;
}
