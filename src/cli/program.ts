import { Command, CommanderError, Help, type Option } from "commander";
import { version } from "../core/version.js";
import { choosePaint } from "../report/style.js";
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

/** Commands as the help groups them, in the order in which people meet them. */
const COMMANDS = {
  "Look, and write to no target:": [validate, plan, drift, status, explain, audit, history, logs, verdict, report],
  "Begin:": [importCommand, adopt, lab],
  "Write:": [reconcile, apply, rollback, pause, resume, approve],
  "Run beside a repository:": [agent, pr],
} as const;

const EXIT_CODES = `
Exit codes: 0 nothing to do, or done · 1 error · 2 changes pending · 3 refused · 4 partly applied
plumbline COMMAND --help tells more of each.`;

/** Runs one command and gives its exit code (CLI.md); never throws. */
export async function runCli(argv: readonly string[], context: Context): Promise<number> {
  let code = 0;
  const program = withGlobalOptions(new Command("plumbline"))
    .description("Keeps firewalls, a cloud and its network controller equal to what a git repository says.")
    .version(version)
    .configureHelp({ showGlobalOptions: true, optionDescription })
    .addHelpText("after", EXIT_CODES)
    .exitOverride()
    .configureOutput({ writeOut: (text) => context.stdout.write(text), writeErr: (text) => context.stderr.write(text) });
  const finish = (result: number) => {
    code = result;
  };
  for (const [heading, commands] of Object.entries(COMMANDS)) {
    program.commandsGroup(heading);
    for (const register of commands) register(program, context, finish);
  }
  try {
    await program.parseAsync(argv, { from: "user" });
    return code;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode;
    const paint = choosePaint(context.stderr, context.environment, !argv.includes("--no-color"));
    return reportFailure(error, context.stderr, paint);
  }
}

/** Without the defaults that go without saying: off, and none. */
function optionDescription(option: Option): string {
  const { defaultValue } = option;
  const said = defaultValue !== false && !(Array.isArray(defaultValue) && defaultValue.length === 0);
  return Help.prototype.optionDescription(said ? option : Object.assign(Object.create(option), { defaultValue: undefined }));
}
