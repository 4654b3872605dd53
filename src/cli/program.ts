import { Command, CommanderError } from "commander";
import { choosePaint } from "../report/style.js";
import { version } from "../version.js";
import { adopt } from "./commands/adopt.js";
import { agent } from "./commands/agent.js";
import { audit } from "./commands/audit.js";
import { drift } from "./commands/drift.js";
import { explain } from "./commands/explain.js";
import { history } from "./commands/history.js";
import { importCommand } from "./commands/import.js";
import { lab } from "./commands/lab.js";
import { logs } from "./commands/logs.js";
import { approve, pause, resume } from "./commands/pause.js";
import { plan } from "./commands/plan.js";
import { pr } from "./commands/pr.js";
import { apply, reconcile } from "./commands/reconcile.js";
import { report } from "./commands/report.js";
import { rollback } from "./commands/rollback.js";
import { status } from "./commands/status.js";
import { validate } from "./commands/validate.js";
import { verdict } from "./commands/verdict.js";
import type { Context } from "./context.js";
import { reportFailure } from "./failure.js";
import { withGlobalOptions } from "./options.js";

const COMMANDS = [
  validate,
  plan,
  drift,
  reconcile,
  apply,
  status,
  explain,
  importCommand,
  adopt,
  audit,
  history,
  lab,
  logs,
  verdict,
  pr,
  agent,
  pause,
  resume,
  approve,
  rollback,
  report,
];

/** Runs one command and gives its exit code (CLI.md); never throws. */
export async function runCli(argv: readonly string[], context: Context): Promise<number> {
  let code = 0;
  const program = withGlobalOptions(new Command("plumbline"))
    .description("Keeps firewalls, a cloud and its network controller equal to what a git repository says.")
    .version(version)
    .configureHelp({ showGlobalOptions: true })
    .exitOverride()
    .configureOutput({ writeOut: (text) => context.stdout.write(text), writeErr: (text) => context.stderr.write(text) });
  const finish = (result: number) => {
    code = result;
  };
  for (const register of COMMANDS) register(program, context, finish);
  try {
    await program.parseAsync(argv, { from: "user" });
    return code;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode;
    const paint = choosePaint(context.stderr, context.environment, !argv.includes("--no-color"));
    return reportFailure(error, context.stderr, paint);
  }
}
