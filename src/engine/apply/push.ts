import type { PushSettings } from "../../desired/configuration/configuration.js";
import { type ManagedFirewall, serialsOf } from "../../outcome/managed-firewalls.js";
import { type Reached, readManagedFirewalls } from "../absences.js";
import { dueWavesOf, isDue, noCanaryWarning, pushWavesOf, undeliveredWarnings } from "../pass/push-order.js";
import type { OutcomeDraft } from "../pass/run-targets.js";
import type { BeforePush } from "../pass/unpushed.js";
import type { Managed } from "../target.js";
import type { OpenWatch } from "../watch/open-watch.js";
import type { ApplySession } from "./apply-session.js";
import { readFirewallState, refuseLastPush, verifyRest } from "./push-arrival.js";
import { refuseInTheWay } from "./push-local.js";
import { validateAll } from "./push-part.js";
import { heldWords } from "./push-results.js";
import { PushSteps } from "./push-steps.js";
import { pushWaves, refuseStopped, waitForOthers } from "./push-waves.js";
import { isToBePushed, type PushWork, reportPushed } from "./push-work.js";

/**
 * Pushes the running configuration of a manager to the firewalls that lack it (docs/manager.md#push). Waits for pushes under way and finds
 * the firewalls that lack changes. Refuses to take other administrators' work along, and stops if local objects of firewalls are in the
 * way. If configured, validates on all firewalls. Then pushes wave by wave: each wave starts after the previous one is verified. A firewall
 * that is not connected is left to a later run. Stops after a wave whose check fails. A run can be killed at any step; the next run
 * continues.
 * @throws PlumblineError `push-foreign` (refused), `push-refused`, `push-failed`, `push-unknown`
 */
export async function pushOut(
  session: ApplySession,
  live: Reached,
  before: BeforePush | undefined,
  draft: OutcomeDraft,
  more: Partial<Pick<PushWork, "check" | "back">> = {},
): Promise<void> {
  const { target, writer, context } = session;
  const { pushes } = writer;
  const { managed } = target;
  const { push } = context.configuration;
  if (pushes === undefined || managed === undefined || push === undefined) return;
  session.warnings.push(...undeliveredWarnings(target, live, push));
  const { check, back } = more;
  const read = async () => (await readManagedFirewalls(managed, context, live)) ?? [];
  const former = back === undefined ? [] : (draft.pushed ?? []);
  const begun = { handed: new Map(), results: new Map(), validated: new Map(), jobs: 0, only: undefined, former };
  const steps = new PushSteps(session, back !== undefined);
  const work: PushWork = { session, pushes, managed, before, draft, read, check, back, steps, ...begun };
  try {
    await pushAll(work, push);
  } finally {
    steps.end();
  }
}

async function pushAll(work: PushWork, push: PushSettings): Promise<void> {
  const { session, pushes, managed, draft, back } = work;
  const { context } = session;
  await session.step("push-wait", () => waitForOthers(work));
  const found = await readFirewallState(work);
  const isBack = back !== undefined || session.write.isWayBack === true;
  const all = pushWavesOf(found, push).map((wave) => (isBack ? { ...wave, canary: false } : wave));
  if (back !== undefined) work.only = await serialsWith(back, found, managed);
  const waves = dueWavesOf(
    found.filter((row) => !isDue(row) || isToBePushed(work, row)),
    all,
  );
  const late = waves.flatMap(({ rows }) => rows);
  if (late.length > 0) {
    session.warnings.push(...(isBack ? [] : noCanaryWarning(found, push)));
    const versions = await refuseStopped(work, late);
    const due = found.filter((row) => isToBePushed(work, row));
    work.steps.begin(due, all);
    await session.step("push-local", async () => {
      await refuseLastPush(work);
      await refuseInTheWay(work, late);
    });
    if (push.validate) await session.step("push-validate", async () => validateAll(work, await pushes.parts(late), versions));
    reportPushed(work, due, all);
    await pushWaves(work, waves, all);
  }
  if (context.configuration.firewalls === "verify") await verifyRest(work);
  session.warnings.push(...heldWords(all, draft.firewalls?.rows ?? []));
}

/** Returns the firewalls that may have a commit: those with its version, a newer version or an unknown version. */
async function serialsWith({ description }: OpenWatch, rows: readonly ManagedFirewall[], managed: Managed): Promise<ReadonlySet<string>> {
  const versions = await managed.versions();
  const from = versions.find((each) => each.description.startsWith(description))?.version ?? 0;
  return serialsOf(rows.filter(({ version }) => !(Number(version) < from)));
}
