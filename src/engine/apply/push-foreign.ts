import { PlumblineError } from "../../core/errors.js";
import type { ManagedFirewall, RunningVersion } from "../../outcome/managed-firewalls.js";
import { leavesOut, takesAlong, UNPUSHED } from "../pass/others-work.js";
import { type BeforePush, miscountedIn, reachingOf, unpushedOf } from "../pass/unpushed.js";
import { type ApplySession, ourAccounts } from "./apply-session.js";

/**
 * Refuses a push that would take other administrators' work along. If the user allowed it, warns once instead.
 * @throws PlumblineError `push-foreign` (refused)
 */
export async function refuseForeign(
  session: ApplySession,
  versions: readonly RunningVersion[],
  late: readonly ManagedFirewall[],
  before: BeforePush | undefined,
): Promise<void> {
  const { context, target, warnings } = session;
  const isSelective = leavesOut(context);
  const ours = [...ourAccounts(session)];
  const isAlong = takesAlong(context);
  const found = isSelective
    ? miscountedIn(late)
    : isAlong
      ? unpushedOf(late, versions, before, ours)
      : await reachingOf(target.managed, late, { versions, before, ours });
  const [first, ...others] = found;
  if (first === undefined) return;
  if (isAlong) {
    const why = context.options.allow.has(UNPUSHED) ? `--allow ${UNPUSHED}` : "push: { others: include }";
    const words = found.map((each) => `passed by ${why}: ${each}`);
    warnings.push(...words.filter((each) => !warnings.includes(each)));
    return;
  }
  throw new PlumblineError("push-foreign", `${first}${others.length === 0 ? "" : ` (and ${others.length} more)`}`, {
    where: { target: target.name },
    next: `Have them push it, or pass --allow ${UNPUSHED}, which ${isSelective ? "pushes all once" : "takes it along once"}.`,
    severity: "refused",
  });
}

/** Returns warnings for changes that other administrators committed after our check. They cannot be kept out of the push. */
export function wentAlong(
  now: readonly RunningVersion[],
  looked: readonly RunningVersion[],
  rows: readonly ManagedFirewall[],
  session: ApplySession,
): string[] {
  if (leavesOut(session.context)) return [];
  const known = looked.at(-1)?.version ?? 0;
  const handed = Math.max(0, ...rows.map(({ version }) => Number(version)).filter(Number.isFinite));
  const ours = ourAccounts(session);
  return now
    .filter(({ version, admin }) => version > known && version <= handed && !ours.has(admin))
    .map(({ version, admin, time }) => `version ${version} of the manager, committed by ${admin} at ${time} during the push, was included`);
}
