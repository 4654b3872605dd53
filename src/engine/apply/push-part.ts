import { type ManagedFirewall, type RunningVersion, serialsOf } from "../../outcome/managed-firewalls.js";
import { excludesUnpushed } from "../pass/unpushed-commits.js";
import type { PushOptions } from "../write-target.js";
import { jobProgress, ourAccounts, reportProgress } from "./apply-session.js";
import { isLost } from "./errors.js";
import { formatRun } from "./lock-mark.js";
import { pushFailure } from "./push-results.js";
import { type PushWork, reportResults } from "./push-work.js";
import { refusePaused } from "./refuse-paused.js";

/** The description of each of our push jobs starts with this prefix. */
export const PREFIX = "plumbline push ";

/** Prefix of jobs that only validate. */
export const VALIDATION = `${PREFIX}validate `;

/** Validates the newest version on all firewalls. No firewall is changed before all have accepted it. */
export async function validateAll(
  work: PushWork,
  parts: readonly (readonly ManagedFirewall[])[],
  versions: readonly RunningVersion[],
): Promise<void> {
  const { session, pushes } = work;
  for (const [index, part] of parts.entries()) {
    const serials = serialsOf(part);
    work.steps.at(serials, "validating");
    const job = await pushes.start(part, { ...optionsOf(work, index + 1, "validate "), validateOnly: true });
    work.steps.at(serials, "validating", job);
    const results = await pushes.watch(job, [...serialsOf(part)], jobProgress(session, "asking firewalls"));
    work.steps.at(serials, "waiting", "");
    work.steps.after(results.filter(({ result }) => result !== "ok"));
    const refused = results.filter(({ result }) => result === "failed");
    const severity = session.progress.commits + work.jobs > 0 ? "partial" : "error";
    if (refused.length > 0) throw pushFailure(work, "push-refused", "would refuse the push", refused, severity);
    const silent = results.filter(({ result }) => result === "unknown" || result === "missing");
    if (silent.length > 0) throw pushFailure(work, "push-unknown", "did not answer the check", silent, severity);
    for (const { serial, result } of results) if (result === "ok") work.validated.set(serial, newestOf(versions));
  }
}

/** Returns the newest version, or 0 if the manager has no list of versions. */
export function newestOf(versions: readonly RunningVersion[]): number {
  return versions.at(-1)?.version ?? 0;
}

/**
 * Pushes to the firewalls of one job and waits for each of them. Reads the pauses right before the order.
 * @param wave Text that names the wave.
 */
export async function pushPart(work: PushWork, part: readonly ManagedFirewall[], wave: string): Promise<void> {
  const { session, pushes } = work;
  await refusePaused(session);
  const serials = [...serialsOf(part)];
  work.jobs += 1;
  const description = descriptionOf(work, work.jobs, "", wave);
  reportProgress(session, `pushing to ${serials.length} firewalls${wave}`);
  const before = [...work.results.values()].filter(({ serial }) => serials.includes(serial));
  const unknown = serials.map((serial) => ({ serial, job: "", result: "unknown" as const, lines: [] }));
  reportResults(work, unknown);
  work.steps.at(serials, "pushing");
  const job = await pushes.start(part, { ...optionsOf(work, work.jobs, "", wave), validateOnly: false }).catch(async (error: unknown) => {
    if (!isLost(error)) {
      reportResults(work, before);
      work.steps.at(serials, "waiting");
      throw error;
    }
    // The reply was lost. If the job exists, the run follows it. Otherwise nothing is sent again until an operator has checked.
    const found = (await pushes.jobs(PREFIX)).find((each) => each.description === description);
    if (found !== undefined) return found.job;
    work.steps.at(serials, "unknown");
    throw pushFailure(work, "push-unknown", "may have been sent it: the reply was lost", unknown, "partial");
  });
  reportResults(
    work,
    unknown.map((each) => ({ ...each, job })),
  );
  work.steps.at(serials, "pushing", job);
  const results = await pushes.watch(job, serials, jobProgress(session, `pushing${wave}`));
  reportResults(work, results);
  work.steps.after(results);
}

/** Excludes other administrators' changes if the configuration says so and this run has no override. */
function optionsOf(work: PushWork, number: number, what: "" | "validate ", wave = ""): Pick<PushOptions, "description" | "admins"> {
  const { session } = work;
  const admins = excludesUnpushed(session.context) ? [...ourAccounts(session)] : undefined;
  return { description: descriptionOf(work, number, what, wave), admins };
}

/** Identifies the job if the reply is lost, and shows the wave in the job list of the manager. */
function descriptionOf({ session }: PushWork, number: number, what: "" | "validate ", wave: string): string {
  return `${PREFIX}${what}${formatRun(session.run)}.${number}${wave}`;
}
