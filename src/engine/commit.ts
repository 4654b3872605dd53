import { PlumblineError } from "../core/errors.js";
import { type ApplySession, jobProgress, type LedgerSession, note, reportProgress, type TargetSession } from "./apply/apply-session.js";
import { isLost } from "./apply/errors.js";
import { formatRun } from "./apply/lock-mark.js";
import type { Fenced } from "./fence.js";
import type { CommitResult, Commits } from "./write-target.js";

/** Devices cut or refuse longer descriptions. */
const DESCRIPTION_LENGTH = 500;

/** `plumbline <run> <digest> <sha> <author>`: by its start (`prefix`) the job is found again after a lost reply. */
async function commitDescription({ context: { checkout } }: Pick<ApplySession, "context">, prefix: string): Promise<string> {
  const { commit, dirty } = checkout;
  const sha = commit === undefined ? "-" : dirty ? `${commit}-dirty` : commit;
  return `${prefix} ${sha} ${(await checkout.author()) ?? "-"}`.slice(0, DESCRIPTION_LENGTH);
}

/** Messages of a device about itself and not about its configuration. */
const RESOURCES =
  /out of memory|(?:cannot|failed to) allocate|(?:not enough|insufficient|low) (?:memory|disk|space|resources)|no space left|disk (?:is )?full|read-only file system/i;

/** Returns the next step after a validation or a commit that the target answered with these lines. */
function adviceAfter(lines: readonly string[]): string {
  return RESOURCES.test(lines.join(" "))
    ? "The message is about the device and not about the configuration. Free its memory or disk space, and run again."
    : "Change the desired state according to the device's message, and run again.";
}

/** @throws PlumblineError `validation-failed` with the target's message; `next` replaces the advice. */
export async function validate(session: TargetSession, commits: Fenced<Commits>, next?: string): Promise<void> {
  const result = await commits.validate(jobProgress(session, "validating"));
  if (result.outcome !== "failed") return;
  throw new PlumblineError("validation-failed", `The target refuses the configuration: ${result.lines.join(" ")}`, {
    where: { target: session.target.name },
    next: next ?? adviceAfter(result.lines),
  });
}

export interface Committing {
  /** Start of the description; by default that of a commit of the plan. */
  readonly prefix?: string;
  /** Preconditions of a commit. Checked again before the commit is sent a second time, which may be much later. */
  readonly ready: () => Promise<void>;
}

/**
 * Commits the changes of our administrator and waits for the job. If the reply is lost, the job list shows whether the commit was accepted.
 * Otherwise it is sent once more, if the preconditions are still met.
 * @throws PlumblineError `commit-failed` with the job's lines, `commit-unknown` (partial) if the result cannot be found out.
 */
export async function commit(
  session: LedgerSession,
  commits: Fenced<Commits>,
  digest: string,
  { prefix = commitPrefix(session, digest), ready }: Committing,
): Promise<CommitResult> {
  const {
    target,
    facts: { capabilities },
  } = session;
  const options = { description: await commitDescription(session, prefix), partial: capabilities.partialCommit };
  await note(session, "commit", digest, { detail: options.description });
  const send = () => commits.commit(options, jobProgress(session, "committing"));
  const result = await send().catch(async (error: unknown) => {
    const found = await findJob(session, commits, prefix, error);
    if (found !== undefined) return found;
    if (!isLost(error)) throw error;
    reportProgress(session, "the reply to the commit was lost and no job has it, sending it again");
    await ready().catch((refused: unknown) => {
      throw unknown(session, refused);
    });
    return await send().catch(async (second: unknown) => {
      const late = await findJob(session, commits, prefix, second);
      if (late !== undefined) return late;
      throw unknown(session, second);
    });
  });
  if (result.outcome !== "failed") return result;
  throw new PlumblineError("commit-failed", `The commit failed: ${result.lines.join(" ") || "the device gives no reason"}`, {
    where: { target: target.name },
    next: adviceAfter(result.lines),
  });
}

/** The finished job of this commit. Undefined if the platform did not accept the commit. */
async function findJob(
  session: LedgerSession,
  commits: Fenced<Commits>,
  prefix: string,
  cause: unknown,
): Promise<CommitResult | undefined> {
  const jobs = await commits.settleJobs(prefix, jobProgress(session, "waiting for the commit")).catch(() => {
    throw unknown(session, cause);
  });
  const job = jobs.at(-1);
  return job === undefined ? undefined : { outcome: job.ok ? "committed" : "failed", job: job.job, lines: job.lines };
}

function unknown(session: Pick<ApplySession, "progress" | "target">, cause: unknown): PlumblineError {
  session.progress.lockMustStay = true;
  const why = cause instanceof Error ? `: ${cause.message}` : "";
  return new PlumblineError("commit-unknown", `The commit was sent, and its result is unknown${why}`, {
    where: { target: session.target.name },
    next: "Run again when the target answers: the lock keeps others away until then.",
    severity: "partial",
    cause,
  });
}

/** `rollback` for a commit that takes another one back. */
export function commitPrefix(session: Pick<ApplySession, "progress" | "run">, digest: string, what: "" | "rollback " = ""): string {
  return `plumbline ${what}${formatRun(session.run)}.${session.progress.commits + 1} ${digest}`;
}
