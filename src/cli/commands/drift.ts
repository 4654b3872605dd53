import { printable } from "../../core/printable.js";
import { startPass } from "../../engine/pass/start.js";
import { driftTargets } from "../../engine/reconcile.js";
import { exitCode } from "../../outcome/outcome.js";
import { openHost } from "../../pull-request/open-host.js";
import { type Survey, surveyTargets } from "../../pull-request/propose/survey.js";
import { type ProposeResult, proposeDrift } from "../../pull-request/propose.js";
import { type HostFlags, hostSettings } from "../../pull-request/settings.js";
import { count } from "../../report/words.js";
import { readersFor } from "../../targets/registry.js";
import type { Context } from "../context.js";
import { type ReportFlags, reporting } from "../reports.js";
import { openSession, type PassFlags, passOptions } from "../session.js";

interface Flags extends PassFlags, ReportFlags, HostFlags {
  readonly propose?: boolean;
  readonly push: boolean;
  readonly base?: string;
}

/** Reports what left the desired state, and proposes it where asked. Gives the exit code. */
export async function drift(flags: Flags, context: Context): Promise<number> {
  const session = openSession(flags, context);
  const readers = readersFor(session.logger);
  // Settings that are missing are said before a device is asked.
  const host = flags.propose === true && flags.push ? openHost(hostSettings(flags, context.environment)) : undefined;
  let surveys: readonly Survey[] = [];
  const outcomes = await reporting("drift", flags, context, session, async () => {
    const options = passOptions(flags, context, session);
    if (flags.propose !== true) return await driftTargets(options, readers);
    const found = await surveyTargets(await startPass(options, readers), readers);
    surveys = found.surveys;
    return found.outcomes;
  });
  if (flags.propose === true) print(await proposeDrift(surveys, { host, base: flags.base }), flags, context);
  return exitCode(outcomes);
}

/** Beside a report for machines standard output stays theirs. */
function print({ done, branch, pullRequest, accepted, refused }: ProposeResult, { format }: Flags, { stdout, stderr }: Context): void {
  const lines = [""];
  if (done !== "nothing") {
    const where =
      pullRequest === undefined ? "" : `  ${pullRequest.url}${pullRequest.state === "closed" ? " (closed: not proposed again)" : ""}`;
    lines.push(`${done === "known" ? "proposed before" : "proposed"}  ${count(accepted.length, "change")} on branch ${branch}${where}`);
  } else lines.push(refused.length > 0 ? "nothing can be proposed" : "nothing to propose");
  for (const { survey, item, why } of refused)
    lines.push(`  not proposed: ${printable(`${survey.context.name} ${item.change.path}`)}: ${printable(why)}`);
  (format === "text" ? stdout : stderr).write(`${lines.join("\n")}\n`);
}
