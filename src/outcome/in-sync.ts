import type { Path } from "../core/tree/path.js";
import { differencesOf, type Plan, type Refusal } from "../plan/model.js";
import { formatUnfinished } from "./format-unfinished.js";
import type { TargetOutcome } from "./outcome.js";

export const REASONS = [
  "failed",
  "refused",
  "unread",
  "differs",
  "observed",
  "open",
  "undelivered",
  "paused",
  "narrowed",
  "no-ledger",
] as const;

/** One reason why a target is not in sync. */
export interface NotInSync {
  /**
   * - `failed`: the run ended with an error. - `refused`: part of the desired state cannot be compared or applied.
   * - `unread`: something that the comparison needs was not read. - `differs`: live and desired state differ.
   * - `observed`: they differ at a path whose mode keeps the run from writing. - `open`: a commit waits for its checks, or
   * firewalls do not have it. - `undelivered`: deletions were committed but not pushed to all firewalls.
   * - `paused`: a pause blocks writes. - `narrowed`: the run compared only part of the target. - `no-ledger`: without a ledger, objects
   * whose documents were deleted are not found.
   */
  readonly reason: (typeof REASONS)[number];
  readonly message: string;
  readonly xpath?: string | undefined;
}

/** Decides the sync status of a target: it is in sync only if everything declared was read and compared, is equal, and reached the device. */
export function isInSync(outcome: TargetOutcome): boolean {
  return reasonsNotInSync(outcome).length === 0;
}

/** Returns why a target is not in sync, the worst reason first. Every report, the exit code and the agent use this function. */
export function reasonsNotInSync(outcome: TargetOutcome): readonly NotInSync[] {
  const { error, undelivered = [], unread = [], paused, narrowed, lacksLedger, plan } = outcome;
  const open = formatUnfinished(outcome);
  return [
    ...(error === undefined ? [] : [{ reason: "failed" as const, message: error.message, xpath: error.where.xpath }]),
    ...refusalsIn(outcome).map(({ message, path }) => ({ reason: "refused" as const, message, xpath: path?.toString() })),
    ...unread.map((message) => ({ reason: "unread" as const, message })),
    ...differences(outcome),
    ...observedIn(plan).map(({ message, path }) => ({ reason: "observed" as const, message, xpath: path.toString() })),
    ...(open === undefined ? [] : [{ reason: "open" as const, message: open }]),
    ...undelivered.map((xpath) => ({ reason: "undelivered" as const, message: "committed, not pushed to all firewalls", xpath })),
    ...(paused === undefined ? [] : [{ reason: "paused" as const, message: `paused: ${paused}` }]),
    ...(narrowed === undefined ? [] : [{ reason: "narrowed" as const, message: "the rest was not compared", xpath: narrowed }]),
    ...(lacksLedger === "missing" ? [{ reason: "no-ledger" as const, message: "deletions unknown: there is no ledger yet" }] : []),
  ];
}

function observedIn(plan: Plan | undefined): readonly { readonly path: Path; readonly message: string }[] {
  const { changes, findings } = plan?.observed ?? { changes: [], findings: [] };
  return [...changes.map(({ path }) => ({ path, message: "differs and is only observed" })), ...findings];
}

/** Returns the refusals that apply to the outcome: the drift's refusals, and the refusals of a plan that was not applied. */
export function refusalsIn({ plan, applied, drift }: TargetOutcome): readonly Refusal[] {
  const ofDrift = drift?.refusals ?? [];
  if (plan === undefined) return ofDrift;
  // A plan that was applied has overridden its refusals, except those of the subtrees that it omitted.
  const ofPlan = applied === undefined ? plan.refusals : plan.refusals.filter(({ stops }) => stops === "subtree");
  return ofDrift.length === 0 ? ofPlan : [...ofDrift, ...ofPlan];
}

function differences({ plan, drift, applied, audit }: TargetOutcome): readonly NotInSync[] {
  const changes = applied === undefined ? differencesOf(plan) : (plan?.remaining ?? []);
  const isDue = applied === undefined && plan !== undefined && (plan.commitOnly || (plan.operations.length > 0 && changes.length === 0));
  return [
    ...[...changes, ...(applied === undefined ? (drift?.items ?? []).map(({ change }) => change) : [])].map(({ path }) => ({
      reason: "differs" as const,
      message: "differs",
      xpath: path.toString(),
    })),
    ...(isDue ? [{ reason: "differs" as const, message: "a commit is due" }] : []),
    ...(applied === undefined ? (audit?.findings ?? []) : []).map(({ network }) => ({
      reason: "differs" as const,
      message: `network ${network}`,
    })),
  ];
}
