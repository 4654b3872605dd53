import { groupBy } from "../core/group-by.js";
import { isInSync, refusalsIn } from "../outcome/in-sync.js";
import { behind, serialsOf } from "../outcome/managed-firewalls.js";
import { type Command, isPending, type TargetOutcome } from "../outcome/outcome.js";
import { isRemaining } from "../plan/diff/change.js";
import { differencesOf } from "../plan/model.js";
import { count, driftSummary, planSummary, remainingSummary } from "./format-counts.js";

/** Maximum number of target names in one part of the line. */
const NAMES = 5;

type State =
  | "changed"
  | "taken back"
  | "in sync"
  | "equal in part"
  | "no ledger"
  | "pending"
  | "only observed"
  | "paused"
  | "not in sync"
  | "refused"
  | "partly applied"
  | "failed";

/** States of targets that the run did not write completely, worst first. */
const TROUBLE = [
  "failed",
  "partly applied",
  "taken back",
  "refused",
  "only observed",
  "not in sync",
  "paused",
] as const satisfies readonly State[];

/**
 * Summarizes a run in one line: changes that were made or are pending, and targets that were not written, with the cause. Ends with a
 * newline. Empty if there is no target.
 */
export function lastLine(command: Command, outcomes: readonly TargetOutcome[]): string {
  if (outcomes.length === 0) return "";
  const by = groupBy(outcomes, (outcome) => stateOf(command, outcome));
  const of = (state: State): readonly TargetOutcome[] => by.get(state) ?? [];
  const trouble = TROUBLE.flatMap((state) => (of(state).length === 0 ? [] : [`${of(state).length} ${state} (${namesOf(of(state))})`]));
  const isWell = of("in sync").length === outcomes.length;
  const [first] = outcomes;
  const omitted = first?.targetsOmitted ?? 0;
  if (isWell && omitted === 0) return `${WELL[command]}: ${count(outcomes.length, "target")}.\n`;
  const narrowed = of("equal in part")[0]?.narrowed;
  if (narrowed !== undefined && of("equal in part").length === outcomes.length)
    return `Nothing differs at or below ${narrowed}: ${count(outcomes.length, "target")}. Nothing else was compared.\n`;
  if (of("no ledger").length === outcomes.length && omitted === 0)
    return `No differences: ${count(outcomes.length, "target")}. Deletions are unknown until you run \`plumbline adopt\`.\n`;
  const done = [
    ...(of("changed").length === 0 ? [] : [`${count(of("changed").length, "target")} changed (${operationsOf(of("changed"))})`]),
    ...(of("pending").length === 0 ? [] : [`${count(of("pending").length, "target")} ${pendingWords(command, of("pending"))}`]),
    ...(of("in sync").length === 0 ? [] : [`${of("in sync").length} in sync`]),
    ...(of("equal in part").length === 0 ? [] : [`${of("equal in part").length} without a difference in the part that was compared`]),
    ...(of("no ledger").length === 0 ? [] : [`${of("no ledger").length} without a difference, deletions unknown`]),
  ];
  const writes = command === "reconcile" || command === "apply";
  const not = trouble.length === 0 ? [] : [`${writes ? "not done: " : ""}${trouble.join(", ")}`];
  const rest = omitted === 0 ? "" : ` ${count(omitted, "other target")} not compared.`;
  const end = `${rest}${command === "plan" ? " Nothing was written." : ""}`;
  return `${HEAD[command]}: ${[...(done.length === 0 ? [] : [done.join(", ")]), ...not].join("; ")}.${end}\n`;
}

const HEAD: Record<Command, string> = { plan: "Plan", drift: "Drift", reconcile: "Result", apply: "Result", audit: "Audit" };
const WELL: Record<Command, string> = {
  plan: "In sync, nothing to do",
  drift: "No drift",
  reconcile: "In sync, no changes were needed",
  apply: "In sync, no changes were needed",
  audit: "Agreed",
};

function stateOf(command: Command, outcome: TargetOutcome): State {
  const { error, applied, plan, watch, mode } = outcome;
  if (watch?.decision === "taken back") return "taken back";
  if (error !== undefined) {
    if (error.severity === "partial") return "partly applied";
    return error.severity === "refused" ? (applied !== undefined && applied.operations > 0 ? "partly applied" : "refused") : "failed";
  }
  if (applied !== undefined && (applied.operations > 0 || applied.commit === "committed")) return "changed";
  if (refusalsIn(outcome).length > 0) return "refused";
  if (isInSync(outcome)) return "in sync";
  if (!isPending(outcome)) return outcome.paused !== undefined ? "paused" : outcome.narrowed !== undefined ? "equal in part" : "no ledger";
  const writes = command === "reconcile" || command === "apply";
  if (writes && (plan?.observed !== undefined || outcome.undelivered !== undefined || outcome.unread !== undefined)) return "not in sync";
  return writes && mode !== undefined && mode !== "enforce" ? "only observed" : "pending";
}

function operationsOf(outcomes: readonly TargetOutcome[]): string {
  return count(
    outcomes.reduce((sum, { applied }) => sum + (applied?.operations ?? 0), 0),
    "operation",
  );
}

function pendingWords(command: Command, outcomes: readonly TargetOutcome[]): string {
  if (command === "audit") {
    const findings = outcomes.reduce((sum, { audit }) => sum + (audit?.findings.length ?? 0), 0);
    return `with ${count(findings, "finding")}`;
  }
  const late = outcomes.reduce((sum, { firewalls }) => sum + (firewalls?.watched === true ? serialsOf(behind(firewalls)).size : 0), 0);
  const isUnknown = outcomes.some(({ firewalls }) => firewalls?.watched === true && firewalls.failure !== undefined);
  const waiting = isUnknown ? "whose firewalls are not known" : late === 0 ? "" : `with ${count(late, "firewall")} not in sync`;
  if (command === "drift") {
    const summary = driftSummary(outcomes.flatMap(({ drift }) => drift?.items.map(({ change }) => change) ?? []));
    return joined(summary === "" && waiting !== "" ? "" : `drifted (${summary})`, waiting);
  }
  const changes = outcomes.flatMap(({ plan }) => differencesOf(plan));
  const summary = planSummary(changes);
  if (changes.some(({ kind }) => kind === "unmanaged") && changes.every(isRemaining))
    return joined(`with ${remainingSummary(changes)}`, waiting);
  const isCommit = outcomes.some(({ plan }) => plan?.commitOnly === true);
  return joined(summary !== "" ? `to change (${summary})` : waiting === "" || isCommit ? "to commit" : "", waiting);
}

function joined(...parts: readonly string[]): string {
  return parts.filter((part) => part !== "").join(", ");
}

function namesOf(outcomes: readonly TargetOutcome[]): string {
  const names = outcomes.slice(0, NAMES).map(({ target }) => target);
  return outcomes.length > NAMES ? `${names.join(", ")} and ${outcomes.length - NAMES} more` : names.join(", ");
}
