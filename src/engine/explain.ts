import { PlumblineError } from "../core/errors.js";
import type { Path } from "../core/tree/path.js";
import type { TargetOutcome } from "../outcome/outcome.js";
import type { Attribution } from "../plan/diff/change.js";
import { type Explanation, explain } from "../plan/explain.js";
import { readLive } from "./live.js";
import { consultLedgers, loginOf, openTarget, requestFor, warnOfOtherDevice } from "./pass/opened-target.js";
import type { PassOptions, Readers } from "./pass/options.js";
import { recordOf } from "./pass/planner.js";
import { runTargets, startPass } from "./pass/run-targets.js";
import type { PushedNode, ReadTarget } from "./target.js";

/** Explanation of a path for one target. `explanation` is undefined if the target failed. */
export interface ExplainedTarget {
  readonly outcome: TargetOutcome;
  readonly explanation: Explanation | undefined;
  readonly attribution: Attribution | undefined;
  /** The manager's value at the path, or the error. */
  readonly handed: PushedNode | PlumblineError | undefined;
}

/** Explains `path` on each target: the declaring line, the live value and its last author. */
export async function explainTargets(options: PassOptions, readers: Readers, path: Path): Promise<ExplainedTarget[]> {
  const found = new Map<string, Pick<ExplainedTarget, "explanation" | "attribution" | "handed">>();
  const outcomes = await runTargets(
    await startPass({ ...options, selection: { ...options.selection, acceptKnownAfterApply: true } }, readers),
    readers.reader,
    async (target, context, draft) => {
      const opened = await openTarget(target, context, draft);
      const { capabilities } = opened;
      const request = requestFor(await consultLedgers(target, context, "candidate", loginOf(context), draft), opened);
      warnOfOtherDevice(request, context, draft);
      const { ledger } = request;
      const { candidate, running, doubts } = await readLive(target, capabilities, [containerOf(path)]);
      for (const { why } of doubts) throw why;
      const explanation = explain({ path, desired: context.desired, candidate, running, record: recordOf(ledger) });
      const attribution = await target.attribution(path, explanation.candidate);
      found.set(context.name, { explanation, attribution, handed: await handedAt(target, path) });
    },
  );
  const none = { explanation: undefined, attribution: undefined, handed: undefined };
  return outcomes.map((outcome) => ({ outcome, ...none, ...found.get(outcome.target) }));
}

/** A manager that does not answer leaves the question open; it does not end the command. */
async function handedAt(target: ReadTarget, path: Path): Promise<ExplainedTarget["handed"]> {
  try {
    return await target.managedBy?.handedAt(path);
  } catch (error) {
    if (error instanceof PlumblineError) return error;
    throw error;
  }
}

/** Members are read with their list: they have no place of their own. */
function containerOf(path: Path): Path {
  return path.text === undefined || path.parent === undefined ? path : path.parent;
}
