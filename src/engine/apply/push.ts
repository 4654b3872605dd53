import { askManaged } from "../absences.js";
import type { Live } from "../live.js";
import type { OutcomeDraft } from "../pass/pass-over.js";
import { dueWavesOf, isDue, noCanaryWords, pushWavesOf } from "../pass/push-order.js";
import type { BeforePush } from "../pass/unpushed.js";
import type { ApplySession } from "./apply-session.js";
import { look, refuseLastPush, verifyRest } from "./push-arrival.js";
import { refuseInTheWay } from "./push-local.js";
import { validateAll } from "./push-part.js";
import { heldWords } from "./push-results.js";
import { pushWaves, refuseStopped, waitForOthers } from "./push-waves.js";
import { type PushWork, tellPushed } from "./push-work.js";

/**
 * Brings what is running on a manager to the firewalls that lack it (docs/manager.md#push): waits for pushes under way, asks who
 * lacks what, refuses what would take others' work along and what stands in the way at firewalls, asks all firewalls whether they would take it, and pushes wave by wave,
 * each only when the manager says that the one before it has arrived. A firewall that is not connected is left for a later run.
 * Which step a run was killed at does not matter to the next one.
 * @throws PlumblineError `push-foreign` (refused), `push-refused`, `push-failed`, `push-unknown`
 */
export async function pushOut(session: ApplySession, live: Live, before: BeforePush | undefined, draft: OutcomeDraft): Promise<void> {
  const { target, writer, context } = session;
  const { pushes } = writer;
  const { managed } = target;
  const { push } = context.configuration;
  if (pushes === undefined || managed === undefined || push === undefined) return;
  const ask = async () => (await askManaged(managed, context, live)) ?? [];
  const work: PushWork = { session, pushes, managed, before, draft, ask, handed: new Map(), results: new Map(), jobs: 0 };
  await session.step("push-wait", () => waitForOthers(work));
  const found = await look(work);
  const all = pushWavesOf(found, push).map((wave) => (session.write.isWayBack === true ? { ...wave, canary: false } : wave));
  const waves = dueWavesOf(found, all);
  const late = waves.flatMap(({ rows }) => rows);
  if (late.length > 0) {
    session.warnings.push(...noCanaryWords(found, push));
    const versions = await refuseStopped(work, late);
    await session.step("push-local", async () => {
      await refuseLastPush(work);
      await refuseInTheWay(work, late);
    });
    if (push.validate) await session.step("push-validate", async () => validateAll(work, await pushes.parts(late)));
    tellPushed(work, found.filter(isDue), all);
    await pushWaves(work, waves, { of: all.length, versions });
  }
  if (context.configuration.firewalls === "verify") await verifyRest(work);
  session.warnings.push(...heldWords(all, draft.firewalls?.rows ?? []));
}
