import { PlumblineError } from "../../core/errors.js";
import { UNPUSHED } from "../../guards/unpushed.js";
import type { ManagedFirewall, RunningVersion } from "../../outcome/managed-firewalls.js";
import { type BeforePush, miscountedIn, reachingOf, unpushedOf } from "../pass/unpushed.js";
import { excludesUnpushed, includesUnpushed } from "../pass/unpushed-commits.js";
import { type ApplySession, ourAccounts, type TargetSession } from "./apply-session.js";
import type { PushWork } from "./push-work.js";

/**
 * Refuses a push that would take other administrators' work along. If the user allowed it, warns once instead.
 * @throws PlumblineError `push-foreign` (refused)
 */
export async function refuseChangesOfOthers(
  session: TargetSession & Pick<ApplySession, "warnings">,
  versions: readonly RunningVersion[],
  late: readonly ManagedFirewall[],
  before: BeforePush | undefined,
): Promise<void> {
  const { context, target, warnings } = session;
  const isSelective = excludesUnpushed(context);
  const accounts = [...ourAccounts(session)];
  const isAlong = includesUnpushed(context);
  const found = isSelective
    ? miscountedIn(late)
    : isAlong
      ? unpushedOf(late, versions, before, accounts)
      : await reachingOf(target.managed, late, { versions, before, accounts });
  const [first, ...others] = found;
  if (first === undefined) return;
  if (isAlong) {
    const why = context.options.overrides.allow.has(UNPUSHED) ? `--allow ${UNPUSHED}` : "push: { others: include }";
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

/**
 * Refuses after firewalls did not take a selective push during which other administrators committed. A manager cannot leave out
 * too many commits, so these commits are a possible reason. The message also has the reason that the firewall gives.
 * @param known The newest version of the manager before the push
 * @throws PlumblineError `push-foreign` (partial)
 */
export async function refuseFailureOfOthers({ session, managed, results }: PushWork, known: number): Promise<void> {
  const failed = [...results.values()].filter(({ result }) => result === "failed");
  const [first] = failed;
  if (first === undefined || !excludesUnpushed(session.context)) return;
  const accounts = ourAccounts(session);
  const since = (await managed.versions()).filter(({ version, admin }) => version > known && !accounts.has(admin));
  if (since.length === 0) return;
  const serials = failed.map(({ serial }) => serial).join(", ");
  const theirs = since.map(({ version, admin, time }) => `version ${version} by ${admin} at ${time}`).join(", ");
  const message = `${serials} did not take the push: ${first.lines.join(" ")} (committed during the push: ${theirs})`;
  throw new PlumblineError("push-foreign", message, {
    where: { target: session.target.name },
    next: `If these commits are the reason, have their authors push, or pass --allow ${UNPUSHED}, which pushes all once. Firewalls that have the change keep it.`,
    severity: "partial",
  });
}

/** Returns warnings for changes that other administrators committed after our check. They cannot be kept out of the push. */
export function wentAlong(
  now: readonly RunningVersion[],
  running: readonly RunningVersion[],
  rows: readonly ManagedFirewall[],
  session: TargetSession,
): string[] {
  if (excludesUnpushed(session.context)) return [];
  const known = running.at(-1)?.version ?? 0;
  const handed = Math.max(0, ...rows.map(({ version }) => Number(version)).filter(Number.isFinite));
  const accounts = ourAccounts(session);
  return now
    .filter(({ version, admin }) => version > known && version <= handed && !accounts.has(admin))
    .map(({ version, admin, time }) => `version ${version} of the manager, committed by ${admin} at ${time} during the push, was included`);
}
