import { joinLines, printable } from "../core/printable.js";
import { startPass } from "../engine/pass/run-targets.js";
import { exitCode } from "../outcome/outcome.js";
import { openHost } from "../pull-request/open-host.js";
import { type ProposeResult, proposeDrift, proposeLocally } from "../pull-request/propose/propose-drift.js";
import { type Survey, surveyTargets } from "../pull-request/propose/survey.js";
import { type HostFlags, hostSettings } from "../pull-request/settings.js";
import { count } from "../report/format-counts.js";
import type { Context } from "./context.js";
import { readersFor } from "./open-targets.js";
import { type ReportFlags, reporting } from "./reports.js";
import { type PassFlags, passOptions, type Terminal } from "./terminal.js";

/** Flags of `plumbline drift --propose`. */
export interface ProposeFlags extends PassFlags, ReportFlags, HostFlags {
  readonly push: boolean;
  readonly base?: string;
}

/** Reports drift and creates a branch and a pull request that accept it. Returns the exit code. */
export async function propose(flags: ProposeFlags, context: Context, session: Terminal): Promise<number> {
  const readers = readersFor(session.logger);
  // Reports missing settings before the first request to a device.
  const host = flags.push ? openHost(hostSettings(flags, context.environment)) : undefined;
  let surveys: readonly Survey[] = [];
  const outcomes = await reporting("drift", flags, context, session, async () => {
    const found = await surveyTargets(await startPass(passOptions(flags, context, session), readers), readers);
    surveys = found.surveys;
    return found.outcomes;
  });
  const results: ProposeResult[] = [];
  if (host === undefined) results.push(await proposeLocally(surveys));
  else for (const survey of surveys) results.push(await proposeDrift(survey, { host, base: flags.base }));
  print(results, flags, context);
  return exitCode(outcomes);
}

/** With a report format for machines, standard output contains only the report. */
function print(results: readonly ProposeResult[], { format }: ProposeFlags, { stdout, stderr }: Context): void {
  const lines = results.filter(({ done }) => done !== "nothing").map(lineOf);
  const refused = results.flatMap((result) => result.refused);
  if (lines.length === 0) lines.push(refused.length > 0 ? "nothing can be proposed" : "nothing to propose");
  for (const { survey, item, why } of refused)
    lines.push(`  not proposed: ${printable(`${survey.context.name} ${item.change.path}`)}: ${printable(why)}`);
  (format === "text" ? stdout : stderr).write(joinLines(["", ...lines]));
}

function lineOf({ done, branch, pullRequest, accepted }: ProposeResult): string {
  const at = pullRequest === undefined ? "" : `  ${pullRequest.url}`;
  const changes = `${count(accepted.length, "change")} on branch ${branch}${at}`;
  switch (done) {
    case "closed":
      return `closed  the drift is gone${at}`;
    case "edited":
      return `not changed  branch ${branch} has commits of another author${at}`;
    case "known":
      return `proposed before  ${changes}${pullRequest?.state === "closed" ? " (closed: not proposed again)" : ""}`;
    case "updated":
      return `updated  ${changes}`;
    default:
      return `proposed  ${changes}`;
  }
}
