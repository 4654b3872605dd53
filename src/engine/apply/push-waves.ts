import { type ManagedFirewall, type RunningVersion, serialsOf } from "../../outcome/managed-firewalls.js";
import { type DueWave, lackingIn } from "../pass/push-order.js";
import { targetTime } from "../watch/clock.js";
import { jobProgress } from "./apply-session.js";
import { arrivalOf, look } from "./push-arrival.js";
import { refuseForeign, wentAlong } from "./push-foreign.js";
import { PREFIX, pushPart } from "./push-part.js";
import { refuseFailed, refuseNotArrived } from "./push-results.js";
import { isToBePushed, type PushWork } from "./push-work.js";
import { refusePaused } from "./refuse-paused.js";
import { refuseShutWindow } from "./refuse-shut-window.js";

interface Course {
  /** How many waves there are, those with nothing to do included. */
  readonly of: number;
  /** What was running on the manager when it was last looked whose work would go along. */
  readonly versions: readonly RunningVersion[];
}

/** Ends behind a canary that did not get it: it went away meanwhile, or nobody can say what it has. */
export async function pushWaves(work: PushWork, waves: readonly DueWave[], { of, versions }: Course): Promise<void> {
  const { session, draft } = work;
  for (const [index, wave] of waves.entries()) {
    const hasWaited = await session.step("push-wait", () => waitForOthers(work));
    // Before the first wave all firewalls were asked, which took its time: another run may have been there.
    const rows = hasWaited || index === 0 ? await look(work) : (draft.firewalls?.rows ?? []);
    const due = lackingIn(wave, rows).filter((row) => isToBePushed(work, row));
    const isFresh = index === 0 && !hasWaited;
    const looked = isFresh ? versions : due.length === 0 ? [] : await refuseStopped(work, due);
    if (due.length === 0) continue;
    const since = work.check === undefined ? "" : await targetTime(session);
    await pushWave(work, { ...wave, rows: due }, { of, versions: looked });
    if ((await work.check?.(since)) === false) return;
    if (wave.canary && lackingIn(wave, draft.firewalls?.rows ?? []).length > 0) return;
  }
}

async function pushWave(work: PushWork, wave: DueWave, { of, versions }: Course): Promise<void> {
  const { session, pushes, managed, results } = work;
  for (const part of await pushes.parts(wave.rows)) {
    await session.step("push", () => pushPart(work, part, of === 1 ? "" : ` (wave ${wave.number} of ${of})`));
    refuseFailed(work);
  }
  const rows = await session.step("push-arrival", () => arrivalOf(work, wave));
  work.steps.arrived(serialsOf(wave.rows), rows);
  session.warnings.push(...wentAlong(await managed.versions(), versions, rows, session));
  refuseNotArrived(
    work,
    [...serialsOf(wave.rows)].flatMap((serial) => results.get(serial) ?? []),
    rows,
  );
}

/** Asked before the first push and again before each wave: time has passed. Gives what is running on the manager. */
export async function refuseStopped(work: PushWork, late: readonly ManagedFirewall[]): Promise<readonly RunningVersion[]> {
  const { session, managed, before } = work;
  // Nobody waits for a window with what its checks refuse.
  if (work.back === undefined) await refuseShutWindow(session.context, session.warnings);
  await refusePaused(session);
  const versions = await managed.versions();
  refuseForeign(session, versions, late, before);
  return versions;
}

/** Whose push it is does not matter: it may bring what is wanted, and two at a time are one too many for a firewall. */
export async function waitForOthers({ session, pushes }: PushWork): Promise<boolean> {
  const open = (await pushes.jobs(PREFIX)).filter(({ isUnderWay }) => isUnderWay);
  for (const { job } of open) await pushes.watch(job, undefined, jobProgress(session, "waiting for a push"));
  return open.length > 0;
}
