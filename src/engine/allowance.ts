import type { Refusal } from "../plan/model.js";

/** A one-time permission for a plan that guards refuse (docs/page.md#allow-once). */
export interface Allowance {
  readonly target: string;
  /** Digest of the plan that the user saw. */
  readonly digest: string;
  /** As the refusals name them: `--allow deletes=47%`. */
  readonly flags: readonly string[];
  readonly by: string;
  /** Milliseconds since 1970. */
  readonly at: number;
}

type Refused = Pick<Refusal, "guard" | "allow">;

/**
 * Guards that an allowance cannot override: `meaning` needs an approval, the number of targets is not a property of one target, and the
 * last two need a user who knows the repository or the rights of the account.
 */
const NOT_HERE: readonly string[] = ["meaning", "targets", "empty-live", "non-descendant"];
/** Milliseconds for which an allowance is valid. An older one may not match the current situation. */
const COUNTS_FOR = 24 * 3_600_000;

/** The flags that override all refusals, in order. Undefined if a refusal cannot be overridden this way. Empty if there are no refusals. */
export function flagsOf(refusals: readonly Refused[]): readonly string[] | undefined {
  const others = refusals.filter(({ guard }) => guard !== "meaning");
  const flags = others.map(({ guard, allow }) => (NOT_HERE.includes(guard) || !isFlag(allow) ? undefined : allow));
  return flags.includes(undefined) ? undefined : [...new Set(flags.flatMap((flag) => flag ?? []))].sort();
}

function isFlag(allow: string | undefined): boolean {
  return allow?.startsWith("--allow ") === true;
}

/**
 * Key among the approvals, which all runners see. Contains the plan and all overridden refusals, so that it is valid for no other plan and
 * no other refusal. Versions without allowances find no plan with such a digest.
 */
export function allowanceKey(digest: string, flags: readonly string[]): string {
  return [digest, ...flags].join(" ");
}

/** Reports whether an approval is a valid allowance for the target. */
export function isAllowance(
  record: { readonly target: string; readonly digest: string; readonly at: number },
  target: string,
  now: number,
): boolean {
  return record.target === target && record.digest.includes(" ") && Math.abs(now - record.at) < COUNTS_FOR;
}

/** Guard to value, as `--allow` gives it. Of two shares or counts the larger one holds; places and names add up. */
export function allowedBy(flags: readonly string[]): ReadonlyMap<string, string> {
  const values = new Map<string, string>();
  for (const flag of flags) {
    const row = flag.slice("--allow ".length).replace(/^"(.*)"$/s, "$1");
    const at = row.indexOf("=");
    const [guard, value] = at < 0 ? [row, ""] : [row.slice(0, at), row.slice(at + 1)];
    const before = values.get(guard);
    values.set(guard, before === undefined || before === value ? value : joined(before, value));
  }
  return values;
}

function joined(before: string, value: string): string {
  const isFigure = /^[\d.]+%?$/;
  if (!isFigure.test(before) || !isFigure.test(value)) return `${before}\n${value}`;
  return Number.parseFloat(value) > Number.parseFloat(before) ? value : before;
}
