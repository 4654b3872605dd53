import { type ManagedFirewall, type RunningVersion, serialsOf } from "../../outcome/managed-firewalls.js";
import type { PushWave } from "../../plan/model.js";
import { type DueWave, lackingIn } from "../pass/push-order.js";
import { targetTime } from "../watch/clock.js";
import { jobProgress } from "./apply-session.js";
import { arrivalOf, readFirewallState } from "./push-arrival.js";
import { refuseChangesOfOthers, refuseFailureOfOthers, wentAlong } from "./push-foreign.js";
import { newestOf, PREFIX, pushPart, validateAll } from "./push-part.js";
import { refuseFailed, refuseNotArrived } from "./push-results.js";
import { isToBePushed, type PushWork } from "./push-work.js";
import { refusePaused } from "./refuse-paused.js";
import { refuseShutWindow } from "./refuse-shut-window.js";
import { verifyActiveBox } from "./verify.js";

/**
 * Pushes wave by wave. Stops after a canary that lacks changes: it disconnected, its state is unknown, or another administrator has
 * committed since.
 * @param all All waves, including those without work.
 */
export async function pushWaves(work: PushWork, waves: readonly DueWave[], all: readonly PushWave[]): Promise<void> {
  const { session, draft } = work;
  for (const [index, wave] of waves.entries()) {
    const hasWaited = await session.step("push-wait", () => waitForOthers(work));
    // The checks before the first wave take time, and another run may have pushed since.
    const rows = hasWaited || index === 0 ? await readFirewallState(work) : (draft.firewalls?.rows ?? []);
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
  let running: readonly RunningVersion[] | undefined;
  for (const part of await pushes.parts(wave.rows)) {
    // The validation and each earlier part take time.
    const versions = await refuseStopped(work, part);
    running ??= versions;
    const unasked = part.filter(({ serial }) => work.validated.get(serial) !== newestOf(versions));
    if (unasked.length > 0 && session.context.configuration.push?.validate === true) {
      await session.step("push-validate", () => validateAll(work, [unasked], versions));
      await refuseStopped(work, part);
    }
    await session.step("push", () => pushPart(work, part, of === 1 ? "" : ` (wave ${wave.number} of ${of})`));
    await refuseFailureOfOthers(work, newestOf(versions));
    refuseFailed(work);
  }
  const rows = await session.step("push-arrival", () => arrivalOf(work, wave));
  const serials = serialsOf(wave.rows);
  work.steps.arrived(serials, rows);
  // Other firewalls may have version numbers of another manager.
  const handed = rows.filter(({ serial }) => serials.has(serial));
  session.warnings.push(...wentAlong(await managed.versions(), running ?? [], handed, session));
  refuseNotArrived(
    work,
    [...serials].flatMap((serial) => results.get(serial) ?? []),
    rows,
  );
}

/**
 * Repeats the checks for windows, pauses, failover and other administrators' changes. Called before firewalls are queried and again before
 * each job.
 * @returns The versions that are running on the manager.
 */
export async function refuseStopped(work: PushWork, late: readonly ManagedFirewall[]): Promise<readonly RunningVersion[]> {
  const { session, managed, before } = work;
  // A rollback does not wait for a window.
  if (work.back === undefined) await refuseShutWindow(session.context, session.warnings);
  await refusePaused(session);
  await verifyActiveBox(session);
  const versions = await managed.versions();
  await refuseChangesOfOthers(session, versions, late, before);
  return versions;
}

/**
 * Waits for all pushes, including those of other administrators: they may bring the wanted changes, and a firewall must not receive two
 * pushes in parallel.
 */
export async function waitForOthers({ session, pushes }: PushWork): Promise<boolean> {
  const open = (await pushes.jobs(PREFIX)).filter(({ isUnderWay }) => isUnderWay);
  for (const { job } of open) await pushes.watch(job, undefined, jobProgress(session, "waiting for a push"));
  return open.length > 0;
}
