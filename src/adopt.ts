import type { LedgerRecord } from "./ledger.js";
import type { TargetOutcome } from "./outcome.js";
import { consultLedgers, loginOf, openTarget } from "./pass/open.js";
import type { PassOptions, Readers } from "./pass/options.js";
import { readAndPlan, recordOf } from "./pass/planner.js";
import { passOver, startPass } from "./pass/start.js";
import { find } from "./tree/lookup.js";
import { parsePath } from "./tree/xpath.js";

/** What `adopt` wrote for one target. */
export interface Adoption {
  readonly outcome: TargetOutcome;
  /** Undefined where the target failed. */
  readonly record: LedgerRecord | undefined;
}

/**
 * Writes the ledger and nothing else (FORMAT.md 5): what is declared and live is ours from now on, and exclusive lists
 * have had their first contact. With `--path`, only rows under that path change.
 */
export async function adoptTargets(options: PassOptions, readers: Readers): Promise<Adoption[]> {
  const records = new Map<string, LedgerRecord>();
  const outcomes = await passOver(await startPass(options, readers), readers.reader, async (target, context, draft) => {
    const { capabilities } = await openTarget(target, context, draft);
    const request = await consultLedgers(context, "candidate", loginOf(context), draft);
    const { plan, live } = await readAndPlan(target, capabilities, context, request);
    draft.plan = plan;
    const old = recordOf(request.ledger);
    const known = new Set(old?.paths);
    const paths = plan.owns.filter((row) => known.has(row) || find(live.candidate, parsePath(row)) !== undefined);
    const lists = context.desired.exclusive.filter((list) => options.only === undefined || options.only.contains(list));
    const record: LedgerRecord = {
      owner: context.owner,
      target: context.name,
      commit: context.checkout.commit,
      paths,
      adopted: [...new Set([...(old?.adopted ?? []), ...lists.map(String)])].sort(),
      secrets: old?.secrets ?? {},
      deletes: old?.deletes,
    };
    await context.ledger.write(record);
    records.set(context.name, record);
  });
  return outcomes.map((outcome) => ({ outcome, record: records.get(outcome.target) }));
}
