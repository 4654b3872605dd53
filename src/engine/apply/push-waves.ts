import { type ManagedFirewall, type RunningVersion, serialsOf } from "../../outcome/managed-firewalls.js";
import type { PushWave } from "../../plan/model.js";
import { type DueWave, lackingIn } from "../pass/push-order.js";
import { targetTime } from "../watch/clock.js";
import { jobProgress } from "./apply-session.js";
import { arrivalOf, look } from "./push-arrival.js";
import { refuseForeign, wentAlong } from "./push-foreign.js";
import { newestOf, PREFIX, pushPart, validateAll } from "./push-part.js";
import { refuseFailed, refuseNotArrived } from "./push-results.js";
import { isToBePushed, type PushWork } from "./push-work.js";
import { refusePaused } from "./refuse-paused.js";
import { refuseShutWindow } from "./refuse-shut-window.js";
import { verifyActiveBox } from "./verify.js";

/** `all`: those with nothing to do included. Ends behind a canary that lacks something: it went away, nobody can say what it has, or somebody has committed on. */
export async function pushWaves(work: PushWork, waves: readonly DueWave[], all: readonly PushWave[]): Promise<void> {
  const { session, draft } = work;
  for (const [index, wave] of waves.entries()) {
    const hasWaited = await session.step("push-wait", () => waitForOthers(work));
    // Before the first wave all firewalls were asked, which took its time: another run may have been there.
    const rows = hasWaited || index === 0 ? await look(work) : (draft.firewalls?.rows ?? []);
    if (all.slice(0, wave.number - 1).some((ahead) => ahead.canary && lackingIn(ahead, rows).length > 0)) return;
    const due = lackingIn(wave, rows).filter((row) => isToBePushed(work, row));
    if (due.length === 0) continue;
    const since = work.check === undefined ? "" : await targetTime(session);
    await pushWave(work, { ...wave, rows: due }, all.length);
    if ((await work.check?.(since)) === false) return;
  }
}

async function pushWave(work: PushWork, wave: DueWave, of: number): Promise<void> {
  const { session, pushes, managed, results } = work;
  let looked: readonly RunningVersion[] | undefined;
  for (const part of await pushes.parts(wave.rows)) {
    // Asking the firewalls, and each part before this one, took its time.
    const versions = await refuseStopped(work, part);
    looked ??= versions;
    const unasked = part.filter(({ serial }) => work.asked.get(serial) !== newestOf(versions));
    if (unasked.length > 0 && session.context.configuration.push?.validate === true) {
      await session.step("push-validate", () => validateAll(work, [unasked], versions));
      await refuseStopped(work, part);
    }
    await session.step("push", () => pushPart(work, part, of === 1 ? "" : ` (wave ${wave.number} of ${of})`));
    refuseFailed(work);
  }
  const rows = await session.step("push-arrival", () => arrivalOf(work, wave));
  const serials = serialsOf(wave.rows);
  work.steps.arrived(serials, rows);
  // Others may bear numbers of another box.
  const handed = rows.filter(({ serial }) => serials.has(serial));
  session.warnings.push(...wentAlong(await managed.versions(), looked ?? [], handed, session));
  refuseNotArrived(
    work,
    [...serials].flatMap((serial) => results.get(serial) ?? []),
    rows,
  );
}

/** Asked before firewalls are asked and again before each job: time has passed. Gives what is running on the manager. */
export async function refuseStopped(work: PushWork, late: readonly ManagedFirewall[]): Promise<readonly RunningVersion[]> {
  const { session, managed, before } = work;
  // Nobody waits for a window with what its checks refuse.
  if (work.back === undefined) await refuseShutWindow(session.context, session.warnings);
  await refusePaused(session);
  await verifyActiveBox(session);
  const versions = await managed.versions();
  await refuseForeign(session, versions, late, before);
  return versions;
}

/** Whose push it is does not matter: it may bring what is wanted, and two at a time are one too many for a firewall. */
export async function waitForOthers({ session, pushes }: PushWork): Promise<boolean> {
  const open = (await pushes.jobs(PREFIX)).filter(({ isUnderWay }) => isUnderWay);
  for (const { job } of open) await pushes.watch(job, undefined, jobProgress(session, "waiting for a push"));
  return open.length > 0;
}
