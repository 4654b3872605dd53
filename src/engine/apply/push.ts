import { PlumblineError, type Severity } from "../../core/errors.js";
import { behind, type ManagedFirewall, type PushedFirewall, type RunningVersion, serialsOf } from "../../outcome/managed-firewalls.js";
import type { Fenced } from "../fence.js";
import type { Live } from "../live.js";
import type { OutcomeDraft } from "../pass/pass-over.js";
import { type BeforePush, UNPUSHED, unpushedOf } from "../pass/unpushed.js";
import type { Pushes } from "../write-target.js";
import { type ApplySession, jobProgress, say } from "./apply-session.js";
import { isLost } from "./errors.js";
import { formatRun } from "./lock-mark.js";
import { refusePaused } from "./refuse-paused.js";
import { refuseShutWindow } from "./refuse-shut-window.js";

/** Jobs of ours carry this at the start of their description. */
const PREFIX = "plumbline push ";

/**
 * Brings what is running on a manager to the firewalls that lack it (docs/manager.md#push): waits for pushes under way, asks who
 * lacks what, refuses what would take others' work along, asks the firewalls whether they would take it, pushes, and asks again.
 * A firewall that is not connected is left for a later run. Which step a run was killed at does not matter to the next one.
 * @throws PlumblineError `push-foreign` (refused), `push-refused`, `push-failed`, `push-unknown`
 */
export async function pushOut(session: ApplySession, live: Live, before: BeforePush | undefined, draft: OutcomeDraft): Promise<void> {
  const { target, writer, context } = session;
  const { pushes } = writer;
  const { managed } = target;
  const { push } = context.configuration;
  if (pushes === undefined || managed === undefined || push === undefined) return;
  const ask = async () => (await managed.firewalls({ paths: live.subtrees, tree: live.candidate })) ?? [];
  await session.step("push-wait", () => waitForOthers(session, pushes));
  const found = await ask();
  draft.firewalls = { watched: true, rows: found };
  const late = dueOf(found);
  if (late.length === 0) return;
  await refuseShutWindow(context, session.warnings);
  await refusePaused(session);
  const versions = await managed.versions();
  refuseForeign(session, versions, late, before);
  const parts = await pushes.parts(late);
  if (push.validate) await session.step("push-validate", () => validateAll(session, pushes, parts));
  const done: PushedFirewall[] = [];
  draft.pushed = done;
  for (const [index, part] of parts.entries()) {
    done.push(...(await session.step("push", () => pushPart(session, pushes, part, index + 1))));
    refuseFailed(session, done);
  }
  const rows = await session.step("push-arrival", ask);
  draft.firewalls = { watched: true, rows };
  session.warnings.push(...wentAlong(await managed.versions(), versions, rows, session));
  refuseNotArrived(session, done, rows);
}

/** What is to be pushed now: who is away gets it later, and what nobody understands is left to people. */
function dueOf(rows: readonly ManagedFirewall[]): readonly ManagedFirewall[] {
  return rows.filter(({ state, connected }) => state === "out of sync" && connected);
}

/** Whose push it is does not matter: it may bring what is wanted, and two at a time are one too many for a firewall. */
async function waitForOthers(session: ApplySession, pushes: Fenced<Pushes>): Promise<void> {
  for (const { job, isUnderWay } of await pushes.jobs(PREFIX))
    if (isUnderWay) await pushes.watch(job, undefined, jobProgress(session, "waiting for a push"));
}

function refuseForeign(
  session: ApplySession,
  versions: readonly RunningVersion[],
  late: readonly ManagedFirewall[],
  before: BeforePush | undefined,
): void {
  const { context, target, warnings } = session;
  const found = unpushedOf(late, versions, before, oursOf(session));
  const [first, ...others] = found;
  if (first === undefined) return;
  if (context.options.allow.has(UNPUSHED)) {
    warnings.push(...found.map((words) => `passed by --allow ${UNPUSHED}: ${words}`));
    return;
  }
  throw new PlumblineError("push-foreign", `${first}${others.length === 0 ? "" : ` (and ${others.length} more)`}`, {
    where: { target: target.name },
    next: `Have them push it, or pass --allow ${UNPUSHED}, which takes it along once.`,
    severity: "refused",
  });
}

/** What others committed after we had looked: nobody can keep it from the push, and it is said. */
function wentAlong(
  now: readonly RunningVersion[],
  looked: readonly RunningVersion[],
  rows: readonly ManagedFirewall[],
  session: ApplySession,
): string[] {
  const known = looked.at(-1)?.version ?? 0;
  const handed = Math.max(0, ...rows.map(({ version }) => Number(version)).filter(Number.isFinite));
  const ours = oursOf(session);
  return now
    .filter(({ version, admin }) => version > known && version <= handed && !ours.includes(admin))
    .map(({ version, admin, time }) => `version ${version} of the manager, committed by ${admin} at ${time} while we pushed, went along`);
}

function oursOf({ administrator, context }: ApplySession): readonly string[] {
  return [administrator, ...context.administrators];
}

async function validateAll(session: ApplySession, pushes: Fenced<Pushes>, parts: readonly (readonly ManagedFirewall[])[]): Promise<void> {
  for (const [index, part] of parts.entries()) {
    const job = await pushes.start(part, { description: descriptionOf(session, index + 1, "validate "), validateOnly: true });
    const results = await pushes.watch(job, [...serialsOf(part)], jobProgress(session, "asking firewalls"));
    const refused = results.filter(({ result }) => result === "failed");
    const severity = session.commits > 0 ? "partial" : "error";
    if (refused.length > 0) throw failure(session, "push-refused", "would not take it", refused, severity);
    const silent = results.filter(({ result }) => result === "unknown");
    if (silent.length > 0) throw failure(session, "push-unknown", "did not say in time whether it would take it", silent, severity);
  }
}

async function pushPart(
  session: ApplySession,
  pushes: Fenced<Pushes>,
  part: readonly ManagedFirewall[],
  number: number,
): Promise<readonly PushedFirewall[]> {
  const serials = [...serialsOf(part)];
  const description = descriptionOf(session, number);
  say(session, `pushing to ${serials.length} firewalls`);
  const job = await pushes.start(part, { description, validateOnly: false }).catch(async (error: unknown) => {
    if (!isLost(error)) throw error;
    // The reply was lost: the job is there, or it is not and nothing is sent again before somebody has looked.
    const found = (await pushes.jobs(PREFIX)).find((each) => each.description === description);
    if (found !== undefined) return found.job;
    throw failure(session, "push-unknown", "may have been sent it: the reply was lost", serials.map(unknown), "partial");
  });
  return await pushes.watch(job, serials, jobProgress(session, "pushing"));
}

function unknown(serial: string): PushedFirewall {
  return { serial, job: "", result: "unknown", lines: [] };
}

function refuseFailed(session: ApplySession, done: readonly PushedFirewall[]): void {
  const failed = done.filter(({ result }) => result === "failed" || result === "missing");
  if (failed.length > 0) throw failure(session, "push-failed", "did not take it", failed, "partial");
  const open = done.filter(({ result }) => result === "unknown");
  if (open.length > 0) throw failure(session, "push-unknown", "did not say in time whether it took it", open, "partial");
}

/** A firewall that took it and is not in sync went back, or somebody has committed on since. */
function refuseNotArrived(session: ApplySession, done: readonly PushedFirewall[], rows: readonly ManagedFirewall[]): void {
  const late = serialsOf(behind({ watched: true, rows }));
  const gone = done.filter(({ serial, result }) => result === "ok" && late.has(serial));
  if (gone.length > 0) throw failure(session, "push-failed", "took it and is not in sync", gone, "partial");
}

function failure(
  session: ApplySession,
  code: "push-refused" | "push-failed" | "push-unknown",
  what: string,
  firewalls: readonly PushedFirewall[],
  severity: Severity,
): PlumblineError {
  const [first] = firewalls;
  const why = first === undefined ? [] : first.result === "missing" ? ["its job has no word of it"] : first.lines;
  const words = `${firewalls.map(({ serial }) => serial).join(", ")} ${what}${why.length === 0 ? "" : `: ${why.join(" ")}`}`;
  return new PlumblineError(code, words, {
    where: { target: session.target.name },
    next: first?.job === "" || first === undefined ? NEXT[code] : `See job ${first.job} on the manager. ${NEXT[code]}`,
    severity,
  });
}

const NEXT = {
  "push-refused": "Put right what the firewalls say, and run again: nothing was pushed.",
  "push-failed": "Put right what the firewalls say, and run again: those that have it are left alone.",
  "push-unknown": "Run again: what the manager says then is looked at before anything is pushed.",
};

/** Found again by it, whatever becomes of the reply. */
function descriptionOf(session: ApplySession, number: number, what: "" | "validate " = ""): string {
  return `${PREFIX}${what}${formatRun(session.run)}.${number}`;
}
