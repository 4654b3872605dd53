import { PlumblineError } from "../core/errors.js";
import type { TargetOutcome } from "../outcome/outcome.js";
import type { Capabilities, Identity } from "../plan/platform.js";
import { runTrials } from "./apply/capability-trials.js";
import type { Trial } from "./capability-trials.js";
import type { TargetContext } from "./pass/context.js";
import { openTarget } from "./pass/opened-target.js";
import type { PassOptions, WriteOptions, Writers } from "./pass/options.js";
import { type OutcomeDraft, runTargets, startPass } from "./pass/run-targets.js";
import type { ReadTarget } from "./target.js";
import { type Checked, readChecked, writeChecked } from "./trial-results.js";

/** Results of `plumbline doctor` for one target. */
export interface Diagnosis {
  readonly outcome: TargetOutcome;
  readonly identity: Identity | undefined;
  readonly capabilities: Capabilities | undefined;
  /** Facts that the target reports, in its field names and order. */
  readonly facts: ReadonlyMap<string, string>;
  /** All questions of the kind of target. Empty if only the configuration is checked. */
  readonly questions: readonly Pick<Trial, "name" | "question">[];
  /** Results for this device and version. */
  readonly checked: Checked | undefined;
}

/**
 * `plumbline doctor`: reports the capabilities of targets and the results of trials. With `scratch`, an unused place, it runs the trials
 * there and stores the results next to the ledger, by serial number and version.
 */
export async function doctorTargets(
  options: PassOptions,
  write: WriteOptions,
  writers: Writers,
  scratch: string | undefined,
): Promise<Diagnosis[]> {
  const known = new Map<string, Omit<Diagnosis, "outcome">>();
  const contexts = await startPass(options, writers);
  const look = async (target: ReadTarget, context: TargetContext, draft: OutcomeDraft) => {
    const { identity, capabilities } = await openTarget(target, context, draft);
    const questions = (target.trials?.at(draftPlace(target)) ?? []).map(({ name, question }) => ({ name, question }));
    known.set(context.name, {
      identity,
      capabilities,
      facts: await target.status(),
      questions,
      checked: await readChecked(context, identity),
    });
    return { identity, capabilities };
  };
  const outcomes =
    scratch === undefined
      ? await runTargets(contexts, writers.reader, async (target, context, draft) => void (await look(target, context, draft)))
      : await runTargets(contexts, writers.writer, async (target, context, draft) => {
          const { identity, capabilities } = await look(target, context, draft);
          const { trials } = target;
          const { serial, version } = identity;
          if (trials === undefined || serial === undefined || version === undefined) throw notTried(context.name);
          const answers = await runTrials({ target, context, capabilities, write, warnings: draft.warnings }, trials, scratch);
          const time = new Date(options.machine.now()).toISOString();
          const checked: Checked = { format: 1, serial, version, time, answers };
          await writeChecked(context, checked);
          known.set(context.name, { ...(known.get(context.name) ?? { identity, capabilities, facts: new Map(), questions: [] }), checked });
        });
  const nothing = { identity: undefined, capabilities: undefined, facts: new Map(), questions: [], checked: undefined };
  return outcomes.map((outcome) => ({ ...(known.get(outcome.target) ?? nothing), outcome }));
}

function notTried(target: string): PlumblineError {
  return new PlumblineError("trial-not-possible", "This target has no trials, or it does not report its serial number and version.", {
    where: { target },
    next: "Name a firewall.",
    severity: "refused",
  });
}

/** Questions are the same in every place. */
function draftPlace({ trials }: ReadTarget) {
  const place = trials?.place("vsys1");
  if (place === undefined) throw new Error("a target with trials has no place for them");
  return place;
}
