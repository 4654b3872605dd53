import type { TargetOutcome } from "../outcome/outcome.js";
import { type Attribution, type Change, formatTime, isReplacedSecret, isTakeover } from "../plan/diff/change.js";

/** Returns `1 change` or `2 changes`. */
export function count(n: number, one: string, many = `${one}s`): string {
  return `${n} ${n === 1 ? one : many}`;
}

/** Explains that nothing is deleted without a ledger. Undefined if the run read or wrote one. */
export function ledgerNote({ lacksLedger }: Pick<TargetOutcome, "lacksLedger">): string | undefined {
  if (lacksLedger === undefined) return undefined;
  if (lacksLedger === "unreadable") return "Without the ledger, only unmanaged entries of exclusive lists are deleted.";
  return "No ledger yet: nothing is deleted until you run `plumbline adopt`, except unmanaged entries of exclusive lists.";
}

/** Returns `2 to create · 1 to take over · 1 to change · 3 to delete · 1 to reorder · 1 unmanaged`. Empty without changes. */
export function planSummary(changes: readonly Change[]): string {
  const of = (...kinds: Change["kind"][]) => changes.filter((change) => kinds.includes(change.kind)).length;
  const taken = changes.filter(isTakeover).length;
  const parts: [number, string][] = [
    [of("missing") - taken, "to create"],
    [taken, "to take over"],
    [of("differs"), "to change"],
    [of("renamed"), "to rename"],
    [of("extra"), "to delete"],
    [of("order"), "to reorder"],
    [of("unmanaged"), "unmanaged"],
  ];
  return parts
    .filter(([n]) => n > 0)
    .map(([n, words]) => `${n} ${words}`)
    .join(" · ");
}

/** Returns `1 missing · 2 differ · 1 extra · 1 out of order · 1 unmanaged`. Empty without drift. */
export function driftSummary(changes: readonly Change[]): string {
  const of = (kind: Change["kind"]) => changes.filter((change) => change.kind === kind).length;
  const differ = of("differs") + of("renamed");
  const unmarked = changes.filter(isTakeover).length;
  const parts: [number, string][] = [
    [of("missing") - unmarked, "missing"],
    [unmarked, "without the ownership mark"],
    [differ, differ === 1 ? "differs" : "differ"],
    [of("extra"), "extra"],
    [of("order"), "out of order"],
    [of("unmanaged"), "unmanaged"],
  ];
  return parts
    .filter(([n]) => n > 0)
    .map(([n, words]) => `${n} ${words}`)
    .join(" · ");
}

/** Returns `1 secret replaced by others, 2 unmanaged rules`: the differences that no write of a plan removes. */
export function remainingSummary(changes: readonly Change[]): string {
  const secrets = changes.filter(isReplacedSecret).length;
  const unmanaged = changes.filter((change) => change.kind === "unmanaged");
  const objects = unmanaged.filter(({ ofCreate }) => ofCreate !== undefined).length;
  const rules = unmanaged.length - objects;
  return [
    ...(secrets === 0 ? [] : [`${count(secrets, "secret")} replaced by others`]),
    ...(rules === 0 ? [] : [count(rules, "unmanaged rule")]),
    ...(objects === 0 ? [] : [count(objects, "unmanaged object")]),
  ].join(", ");
}

/** Returns `edge (PA-VM 0123456789, standalone)`. */
export function targetTitle(outcome: TargetOutcome): string {
  const identity = outcome.identity;
  if (identity === undefined) return outcome.target;
  const facts = [
    [identity.model, identity.serial].filter((part) => part !== undefined).join(" "),
    identity.role === "unknown" ? "" : identity.role,
  ];
  const words = facts.filter((part) => part !== "").join(", ");
  return words === "" ? outcome.target : `${outcome.target} (${words})`;
}

/** Returns `by alice at 2026/11/20 10:00:00`, or `by unknown` if the platform has no author. */
export function formatAuthor(who: Attribution | undefined): string {
  if (who === undefined) return "by unknown";
  const { admin, time, request } = who;
  return `by ${admin}${formatTime(time)}${request === undefined ? "" : ` (${request})`}`;
}
