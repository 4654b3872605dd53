import type { Refusal } from "../plan/model.js";

/** Somebody lets one plan pass what refuses it, once (docs/page.md#allow-once). */
export interface Allowance {
  readonly target: string;
  /** Of the plan that they saw. */
  readonly digest: string;
  /** As the refusals name them: `--allow deletes=47%`. */
  readonly flags: readonly string[];
  readonly by: string;
  /** Milliseconds since 1970. */
  readonly at: number;
}

type Refused = Pick<Refusal, "guard" | "allow">;

/** An approval stands for that one itself; how many targets are written at once no single target can let pass. */
const NOT_HERE: readonly string[] = ["meaning", "targets"];
/** Milliseconds that it counts: what somebody saw a day ago is not what they would see now. */
const COUNTS_FOR = 24 * 3_600_000;

/** The flags that let all of the refusals pass, in order; undefined where one of them cannot be let pass so, empty where nothing refuses. */
export function flagsOf(refusals: readonly Refused[]): readonly string[] | undefined {
  const others = refusals.filter(({ guard }) => guard !== "meaning");
  const flags = others.map(({ guard, allow }) => (NOT_HERE.includes(guard) || !isFlag(allow) ? undefined : allow));
  return flags.includes(undefined) ? undefined : [...new Set(flags.flatMap((flag) => flag ?? []))].sort();
}

function isFlag(allow: string | undefined): boolean {
  return allow?.startsWith("--allow ") === true;
}

/**
 * What it is called among the approvals, where every runner sees it: the plan and all that it was refused for, so that it counts
 * for neither another plan nor another refusal. Versions that know of no allowances find no plan of that digest.
 */
export function allowanceKey(digest: string, flags: readonly string[]): string {
  return [digest, ...flags].join(" ");
}

/** It is one, of that target, and young enough to count. */
export function isAllowance(
  said: { readonly target: string; readonly digest: string; readonly at: number },
  target: string,
  now: number,
): boolean {
  return said.target === target && said.digest.includes(" ") && Math.abs(now - said.at) < COUNTS_FOR;
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
