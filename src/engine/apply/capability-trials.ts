import { PlumblineError } from "../../core/errors.js";
import { equalNodes } from "../../core/tree/equal.js";
import { find, shapeAt } from "../../core/tree/lookup.js";
import type { TreeNode } from "../../core/tree/node.js";
import type { Path } from "../../core/tree/path.js";
import type { Capabilities } from "../../plan/platform.js";
import type { Trial, Trials } from "../capability-trials.js";
import type { Fenced } from "../fence.js";
import { UnchangedSince } from "../lease/unchanged-since.js";
import type { TargetContext } from "../pass/context.js";
import type { WriteOptions } from "../pass/options.js";
import { pendingOn } from "../pending-and-locks.js";
import type { Commits, Locks, Writer, WriteTarget } from "../write-target.js";
import { asPlumblineError } from "./errors.js";
import { unshared } from "./fences.js";
import { acquireLock, holdsLock } from "./lock.js";
import { newRun } from "./lock-mark.js";
import { refusePaused } from "./refuse-paused.js";
import { refuseShutWindow } from "./refuse-shut-window.js";

export interface TrialContext {
  readonly target: WriteTarget;
  readonly context: TargetContext;
  readonly capabilities: Capabilities;
  readonly write: WriteOptions;
  readonly warnings: string[];
}

interface Bench extends TrialContext {
  readonly place: Path;
  readonly writer: Fenced<Writer>;
  readonly commits: Fenced<Commits>;
  readonly base: TreeNode;
}

/**
 * Runs trials in an unused place of the candidate, under the lock, and reverts each one. Does not commit.
 * @returns The result of each trial by name.
 * @throws PlumblineError `trial-not-possible` (refused) if a trial is not safe; `trial-not-undone` (partial) if the place was not restored;
 * also the errors for locks, pauses and windows.
 */
export async function runTrials(ground: TrialContext, trials: Trials, word: string): Promise<Readonly<Record<string, "yes" | "no">>> {
  const { target, context, capabilities, write, warnings } = ground;
  const place = trials.place(word);
  if (place === undefined) throw impossible(ground, `"${word}" names no place for trials`);
  const writer = target.writer.behind(unshared);
  const { commits } = writer;
  const locks: Fenced<Locks> | undefined = capabilities.locks ? writer.locks : undefined;
  if (commits === undefined || locks === undefined || !capabilities.partialRevert || !capabilities.changeList)
    throw impossible(ground, "the device has no lock, no list of changes, or cannot revert the changes of one administrator");
  if (context.configuration.mode !== "enforce") throw impossible(ground, `its mode is ${context.configuration.mode}`);
  await refuseShutWindow(context, warnings);
  await refusePaused({ context });
  const administrator = await target.administrator();
  const { owner, options } = context;
  const run = newRun(options.machine);
  await refuseUsed(ground, trials, place, administrator);
  const request = { target, locks, owner, administrator, run, digest: "doctor", touched: [place], takeoverAfter: Number.POSITIVE_INFINITY };
  const {
    machine,
    stores: { stateFolder },
  } = options;
  await acquireLock({ ...request, machine, seen: new UnchangedSince(stateFolder, machine), ...write });
  try {
    // Another administrator may have changed the place before our lock.
    const base = await refuseUsed(ground, trials, place, administrator);
    const bench: Bench = { ...ground, place, writer, commits, base };
    const answers: Record<string, "yes" | "no"> = {};
    for (const trial of trials.at(place)) {
      if (trial.needsBatches === true && !capabilities.atomicBatch) continue;
      answers[trial.name] = await tryOne(bench, trial);
    }
    return answers;
  } finally {
    if (await holdsLock(target, run).catch(() => false)) await locks.unlock().catch((error: unknown) => void warnings.push(String(error)));
  }
}

async function tryOne(bench: Bench, trial: Trial): Promise<"yes" | "no"> {
  const { target, place } = bench;
  const read = async () => await target.read([place], "candidate");
  try {
    for (const batch of trial.batches.slice(0, -1)) await send(bench, batch);
    const before = await read();
    const refusal = await send(bench, trial.batches.at(-1) ?? []).then(
      () => undefined,
      (error: unknown) => asPlumblineError(error, target.name),
    );
    return trial.answer({ before, after: await read(), refusal });
  } finally {
    await putBack(bench);
  }
}

async function send({ writer, capabilities }: Bench, batch: Trial["batches"][number]): Promise<void> {
  const size = capabilities.atomicBatch ? Math.max(1, batch.length) : 1;
  for (let from = 0; from < batch.length; from += size) await writer.write(batch.slice(from, from + size));
}

async function putBack({ target, place, commits, base, context }: Bench): Promise<void> {
  const why = await commits.revert().then(
    () => undefined,
    (error: unknown) => (error instanceof Error ? error.message : String(error)),
  );
  const views = why === undefined ? [await target.read([place], "candidate"), await target.read([place], "running")] : [];
  const isBack = why === undefined && views.every((view) => isSame(view, base, place, target));
  if (isBack) return;
  throw new PlumblineError("trial-not-undone", `${place} is not as it was before the trial${why === undefined ? "" : `: ${why}`}`, {
    where: { target: context.name, xpath: place.toString() },
    next: "Check the device: delete the object plumbline-doctor there, and commit if another commit included it.",
    severity: "partial",
  });
}

function isSame(view: TreeNode, base: TreeNode, place: Path, { shape }: WriteTarget): boolean {
  const [now, then] = [find(view, place), find(base, place)];
  return now === undefined || then === undefined ? now === then : equalNodes(now, then, shapeAt(place, shape));
}

/** Returns the content of the place. Refuses a place in use. */
async function refuseUsed(ground: TrialContext, trials: Trials, place: Path, administrator: string): Promise<TreeNode> {
  const { target, context } = ground;
  const own = (await pendingOn(target)).filter(({ owner }) => owner === administrator);
  if (own.length > 0) throw impossible(ground, `the account ${administrator} has uncommitted changes, which a revert would include`);
  if ((find(context.desired.root, place)?.children.length ?? 0) > 0) throw impossible(ground, `documents declare ${place}`);
  const candidate = await target.read([place], "candidate");
  for (const tree of [candidate, await target.read([place], "running")]) {
    const node = find(tree, place);
    if (node === undefined) throw impossible(ground, `there is no ${place}`);
    if (!trials.isScratch(node)) throw impossible(ground, `${place} is in use: it is not empty`);
  }
  return candidate;
}

function impossible({ context }: TrialContext, why: string): PlumblineError {
  return new PlumblineError("trial-not-possible", `No trial: ${why}`, {
    where: { target: context.name },
    next: "Name an empty, unused virtual system with --try-in, on a target with mode: enforce.",
    severity: "refused",
  });
}
