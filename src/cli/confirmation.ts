import { PlumblineError } from "../core/errors.js";
import { ANY_COMMAND } from "../desired/commands.js";
import type { PassOptions, WriteOptions } from "../engine/pass/options.js";
import { planTargets } from "../engine/reconcile.js";
import { reasonsNotInSync } from "../outcome/in-sync.js";
import { exitCode, outcomeCode, type TargetOutcome } from "../outcome/outcome.js";
import { renderers } from "../report/renderers.js";
import type { Context } from "./context.js";
import { readersFor } from "./open-targets.js";
import type { Terminal } from "./terminal.js";

/** The plans that the user at the terminal confirmed, or the exit code if the run ends here. */
export type Confirmation = Pick<WriteOptions, "digests" | "effects"> | { readonly code: number };

const PENDING = 2;

/** Refuses a command that would write without a plan that a user has seen. @throws PlumblineError `confirmation-missing` */
export function refuseWithoutTerminal(command: string, { format }: { readonly format: string }, { stdin, stdout }: Context): void {
  if (format === "text" && stdout.isTTY === true && stdin?.().isTTY === true) return;
  const why = format === "text" ? "there is no terminal to ask for confirmation" : `--format ${format} leaves no place for the question`;
  throw new PlumblineError("confirmation-missing", `\`plumbline ${command}\` writes to targets, and ${why}.`, {
    next: "Add --yes. To review the changes first, use `plumbline plan --out plan.json` and `plumbline apply plan.json`.",
  });
}

/**
 * Shows the plan and lets the user confirm it. Only the shown plan is carried out: a target that has changed since, or could not be
 * planned, is refused as in `apply`. Skips the question if there is no work.
 */
export async function confirmPlan(options: PassOptions, context: Context, session: Terminal): Promise<Confirmation> {
  const outcomes = await planTargets(
    {
      ...options,
      isByHand: true,
      source: { ...options.source, mayRun: options.source.mayRun ?? ANY_COMMAND },
      analysis: { ...options.analysis, insight: true },
    },
    readersFor(session.logger),
  );
  session.progress.end();
  if (outcomes.some((outcome) => outcomeCode(outcome) === PENDING && hasWork(outcome))) {
    const render = await renderers.text.load();
    context.stdout.write(render("plan", outcomes, session.paint));
    if (!(await answeredYes("Apply this? [y/N] ", context))) {
      context.stderr.write("Nothing was written.\n");
      return { code: exitCode(outcomes) };
    }
  }
  return {
    digests: new Map(outcomes.map(({ target, plan }) => [target, plan?.digest ?? "not planned"])),
    effects: new Map(outcomes.flatMap(({ target, plan }) => (plan === undefined ? [] : [[target, plan.effect] as const]))),
  };
}

/** Reasons that no run removes, apart from a difference that the plan writes. */
const NOT_WRITTEN: ReadonlySet<string> = new Set(["differs", "observed", "narrowed", "paused", "no-ledger"]);

/** Returns whether the run has work: operations, a commit, or something that is open, unread or not delivered. */
function hasWork(outcome: TargetOutcome): boolean {
  const { plan } = outcome;
  if (plan === undefined || plan.operations.length > 0 || plan.commitOnly) return true;
  return reasonsNotInSync(outcome).some(({ reason }) => !NOT_WRITTEN.has(reason));
}

/** Returns true for yes in the first typed line. Returns false if the run is stopped or the input ends. */
async function answeredYes(question: string, { stdin, stderr, stop }: Context): Promise<boolean> {
  stderr.write(question);
  const line = (async () => {
    let typed = "";
    for await (const part of stdin?.() ?? []) {
      typed += typeof part === "string" ? part : Buffer.from(part).toString();
      if (typed.includes("\n")) break;
    }
    return typed;
  })();
  const stopped = new Promise<string>((resolve) => stop.addEventListener("abort", () => resolve(""), { once: true }));
  return /^\s*y(?:es)?\s*$/im.test((await Promise.race([line, stopped])).split("\n")[0] ?? "");
}
