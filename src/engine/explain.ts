import type { Path } from "../core/tree/path.js";
import type { TargetOutcome } from "../outcome/outcome.js";
import type { Attribution } from "../plan/diff/change.js";
import { type Explanation, explain } from "../plan/explain.js";
import { readLive } from "./live.js";
import { consultLedgers, loginOf, openTarget } from "./pass/opened-target.js";
import type { PassOptions, Readers } from "./pass/options.js";
import { passOver, startPass } from "./pass/pass-over.js";
import { recordOf } from "./pass/planner.js";

/** What one target has to say of a path; `explanation` is undefined where the target failed. */
export interface ExplainedTarget {
  readonly outcome: TargetOutcome;
  readonly explanation: Explanation | undefined;
  readonly attribution: Attribution | undefined;
}

/** Reads the place of `path` on each target and says which line wants it, what is live and who changed it last. */
export async function explainTargets(options: PassOptions, readers: Readers, path: Path): Promise<ExplainedTarget[]> {
  const found = new Map<string, { explanation: Explanation; attribution: Attribution | undefined }>();
  const outcomes = await passOver(
    await startPass({ ...options, acceptKnownAfterApply: true }, readers),
    readers.reader,
    async (target, context, draft) => {
      const { capabilities } = await openTarget(target, context, draft);
      const { ledger } = await consultLedgers(target, context, "candidate", loginOf(context), draft);
      const { candidate, running, doubts } = await readLive(target, capabilities, [containerOf(path)]);
      for (const { why } of doubts) throw why;
      const explanation = explain({ path, desired: context.desired, candidate, running, record: recordOf(ledger) });
      found.set(context.name, { explanation, attribution: await target.attribution(path, explanation.candidate) });
    },
  );
  return outcomes.map((outcome) => ({ outcome, explanation: undefined, attribution: undefined, ...found.get(outcome.target) }));
}

/** Members are read with their list: they have no place of their own. */
function containerOf(path: Path): Path {
  return path.text === undefined || path.parent === undefined ? path : path.parent;
}
