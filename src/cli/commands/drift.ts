import type { Command } from "commander";
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
import { withFormat, withLedger, withTargets } from "../options.js";
import type { Register } from "../register.js";
import { type ReportFlags, reporting, withReports } from "../reports.js";
import { openSession, type PassFlags, passOptions } from "../session.js";
import { withHost } from "./pr.js";

interface Flags extends PassFlags, ReportFlags, HostFlags {
  readonly propose?: boolean;
  readonly push: boolean;
  readonly base?: string;
}

export const drift: Register = (program, context, finish) => {
  const command = program.command("drift").description("report what left the desired state, and who did it; cannot write to a target");
  withHost(withLedger(withReports(withFormat(withTargets(command)))))
    .option("--propose", "make a branch and a pull request that take the drift over")
    .option("--no-push", "with --propose: leave a local branch, push and open nothing")
    .option("--base <branch>", "with --propose: the branch that the pull request is for")
    .action(async (_own: unknown, invoked: Command) => {
      const flags = invoked.optsWithGlobals<Flags>();
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
      finish(exitCode(outcomes));
    });
};

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
