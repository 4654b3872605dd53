import type { Where } from "../core/errors.js";
import type { FileEdit } from "./access.js";
import type { FlowWords } from "./insight.js";

/** Removal of rules of one target, and the edit of its documents (docs/access-requests.md#clean-up-rules). */
export interface CleanupResult {
  readonly rulebases: readonly RulebaseCleanup[];
  /** Empty if nothing is removed, or the edit cannot be used. */
  readonly files: readonly FileEdit[];
  /** Why the edit cannot be used. */
  readonly faults: readonly string[];
  /** Refusals of guards that `plumbline apply` will repeat, until a person overrides them. */
  readonly atApply: readonly string[];
}

export interface RulebaseCleanup {
  readonly scope: string;
  /** The rules were not checked, because it is not known what all firewalls receive. */
  readonly isUnchecked?: true;
  readonly steps: readonly CleanupStep[];
  /** Rules with a finding that stay, and why. */
  readonly kept: readonly { readonly rule: string; readonly kind: CleanupKind; readonly reason: string }[];
  /** Effect of the removal of expired and unused rules. All other removals change no flow. */
  readonly effect: CleanupEffect;
  /** What is not known, as sentences. */
  readonly notes: readonly string[];
}

export type CleanupKind = "matches-nothing" | "shadowed" | "redundant" | "undecided" | "expired" | "expires-soon" | "unused" | "disabled";

/** Returns whether a removal may change flows, so that its effect is shown. */
export function mayChangeFlows({ kind }: Pick<CleanupStep, "kind">): boolean {
  return kind === "expired" || kind === "expires-soon" || kind === "unused";
}

export interface CleanupStep {
  readonly action: "remove" | "disable" | "remove-member";
  readonly kind: CleanupKind;
  /** Name of the rule or group. */
  readonly rule: string;
  readonly where: Where;
  /** Removed member: `web-03 from source of rule web-to-db`. */
  readonly member?: string | undefined;
  /** Rules that decide all its flows. */
  readonly by: readonly string[];
  /** Last day of an expired rule or member, yyyy-mm-dd. */
  readonly until?: string | undefined;
  /** Day on which the rule was disabled, yyyy-mm-dd. */
  readonly disabledOn?: string | undefined;
  /** Last session and start of the counter of an unused rule (ISO 8601). Undefined if not known. */
  readonly lastHit?: string | undefined;
  readonly countedSince?: string | undefined;
}

export interface CleanupEffect {
  readonly opened: readonly FlowWords[];
  readonly closed: readonly FlowWords[];
  /** Flows that get other logs or profiles. */
  readonly handled: readonly FlowWords[];
}
