import { Command, CommanderError, Help, type Option } from "commander";
import { version } from "../core/version.js";
import type { Context } from "./context.js";
import type { Lazily } from "./define.js";
import { adopt, complete, completion, fmt, importConfiguration, init, lab } from "./definitions/begin.js";
import { agent, pr } from "./definitions/beside-repository.js";
import { audit, drift, explain, get, history, logs, lsp, plan, report, status, validate, verdict } from "./definitions/look.js";
import { lint, reach } from "./definitions/rules.js";
import { apply, approve, doctor, pause, reconcile, resume, rollback } from "./definitions/write.js";
import { findConfiguration, withGlobalOptions } from "./options.js";
import { safeOutput } from "./safe-output.js";

/** Commands as the help groups them, in the order in which people meet them. */
const COMMANDS = {
  "Look, and write to no target:": [validate, lsp, plan, drift, status, get, explain, reach, lint, audit, history, logs, verdict, report],
  "Begin:": [init, importConfiguration, fmt, adopt, doctor, lab, completion, complete],
  "Write:": [reconcile, apply, rollback, pause, resume, approve],
  "Run beside a repository:": [agent, pr],
} as const;

const EXIT_CODES = `
Exit codes: 0 nothing to do, or done · 1 error · 2 changes pending · 3 refused · 4 partly applied
plumbline COMMAND --help tells more of each.`;

/** Runs one command and gives its exit code (docs/plan.md#exit-codes); never throws. */
export async function runCli(argv: readonly string[], of: Context): Promise<number> {
  const context: Context = { ...of, stdout: safeOutput(of.stdout), stderr: safeOutput(of.stderr) };
  let code = 0;
  const program = withGlobalOptions(new Command("plumbline"))
    .description("Keeps firewalls, a cloud and its network controller equal to what a git repository says.")
    .version(version)
    .configureHelp({ showGlobalOptions: true, optionDescription })
    .addHelpText("after", EXIT_CODES)
    .exitOverride()
    .configureOutput({ writeOut: (text) => context.stdout.write(text), writeErr: (text) => context.stderr.write(text) });
  const lazily: Lazily =
    (load) =>
    async (...given) => {
      const run = await load();
      // Commander gives the arguments, then the command's own options, then the command; what they are is declared beside each.
      const invoked = given.at(-1) as Command;
      code = await run(invoked.optsWithGlobals() as never, context, ...(given.slice(0, -2) as never[]));
    };
  for (const [heading, commands] of Object.entries(COMMANDS)) {
    program.commandsGroup(heading);
    for (const define of commands) define(program, lazily);
  }
  try {
    await program.parseAsync(argv, { from: "user" });
    return code;
  } catch (error) {
    if (error instanceof CommanderError) {
      if (error.code === "commander.unknownOption" && argv.includes("--json")) context.stderr.write("For JSON write --format json.\n");
      return error.exitCode;
    }
    const [{ choosePaint }, { reportFailure }] = await Promise.all([import("../report/style.js"), import("./failure.js")]);
    const paint = choosePaint(context.stderr, context.environment, !argv.includes("--no-color"));
    return await reportFailure(error, context.stderr, paint, configurationOf(program, context));
  }
}

function configurationOf(program: Command, context: Context): string | undefined {
  try {
    return findConfiguration(program.opts(), context);
  } catch {
    return undefined;
  }
}

/** Without the defaults that go without saying: off, and none. */
function optionDescription(option: Option): string {
  const { defaultValue } = option;
  const said = defaultValue !== false && !(Array.isArray(defaultValue) && defaultValue.length === 0);
  return Help.prototype.optionDescription(said ? option : Object.assign(Object.create(option), { defaultValue: undefined }));
}
