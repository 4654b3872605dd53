import { Command, CommanderError, Help, type Option } from "commander";
import { version } from "../core/version.js";
import type { Context } from "./context.js";
import type { Lazily } from "./define.js";
import { allow, revoke } from "./definitions/access.js";
import { adopt, agent, apply, approve, backup, ledger, pause, resume, rollback } from "./definitions/control.js";
import { audit, explain, get, history, logs } from "./definitions/investigate.js";
import { drift, init, plan, reconcile, status, validate } from "./definitions/main.js";
import { lint, reach } from "./definitions/rules.js";
import { complete, completion, doctor, fmt, importConfiguration, lab, lsp, pr, report, schema, verdict } from "./definitions/tools.js";
import { findConfiguration, withGlobalOptions } from "./options.js";
import { safeOutput } from "./safe-output.js";

/** Commands by group, in the order of the help. */
const COMMANDS = {
  "Main:": [init, validate, plan, reconcile, drift, allow, revoke, status],
  "Investigate:": [explain, get, reach, lint, history, logs, audit],
  "Control:": [apply, rollback, pause, resume, approve, adopt, ledger],
  "Agent:": [agent, backup],
  "Tools:": [importConfiguration, fmt, doctor, lab, lsp, schema, completion, complete, report, verdict, pr],
} as const;

const EXIT_CODES = `
Exit codes: 0 success or no changes · 1 error · 2 changes pending · 3 refused · 4 partly applied
Run \`plumbline COMMAND --help\` for details of a command.`;

/** Runs one command and returns its exit code (docs/guards.md#exit-codes). Never throws. */
export async function runCli(argv: readonly string[], of: Context): Promise<number> {
  const context: Context = { ...of, stdout: safeOutput(of.stdout), stderr: safeOutput(of.stderr) };
  let code = 0;
  const program = withGlobalOptions(new Command("plumbline"))
    .description("Keeps PAN-OS firewalls, OpenStack and Contrail in sync with YAML in a git repository.")
    .version(version, "-V, --version", "Print the version")
    .helpOption("-h, --help", "Show help")
    .configureHelp({ optionDescription, subcommandTerm: (command) => command.name(), formatHelp })
    .addHelpText("after", EXIT_CODES)
    .exitOverride()
    .configureOutput({ writeOut: (text) => context.stdout.write(text), writeErr: (text) => context.stderr.write(text) });
  const lazily: Lazily =
    (load) =>
    async (...given) => {
      const run = await load();
      // Commander passes the arguments, then the command's own options, then the command.
      const invoked = given.at(-1) as Command;
      code = await run(invoked.optsWithGlobals() as never, context, ...(given.slice(0, -2) as never[]));
    };
  for (const [heading, commands] of Object.entries(COMMANDS)) {
    program.commandsGroup(heading);
    for (const define of commands) define(program, lazily);
  }
  program.helpCommand("help [command]", "Show help for a command");
  try {
    await program.parseAsync(argv, { from: "user" });
    return code;
  } catch (error) {
    if (error instanceof CommanderError) {
      if (error.code === "commander.unknownCommand") context.stderr.write(meantCommand(program.args[0] ?? ""));
      if (error.code === "commander.unknownOption" && argv.includes("--json")) context.stderr.write("For JSON write --format json.\n");
      return error.exitCode;
    }
    const [{ choosePaint }, { reportFailure }] = await Promise.all([import("../report/style.js"), import("./failure.js")]);
    const paint = choosePaint(context.stderr, context.environment, !argv.includes("--no-color"));
    return await reportFailure(error, context.stderr, paint, configurationOf(program, context));
  }
}

/** Commands of similar tools, with the command that does the same here. */
const MEANINGS: Readonly<Record<string, string>> = {
  check: "validate",
  deploy: "reconcile",
  describe: "explain",
  diff: "plan",
  down: "reconcile",
  events: "history",
  format: "fmt",
  heal: "reconcile",
  ignore: "drift --propose",
  list: "status",
  preview: "plan",
  push: "reconcile",
  query: "get",
  refresh: "drift",
  revert: "rollback",
  show: "get",
  start: "agent",
  stop: "pause",
  sync: "reconcile",
  test: "validate",
  undo: "rollback",
  up: "reconcile",
  update: "reconcile",
};

/** Names the command with the meaning of an unknown one. Empty if none is known. */
function meantCommand(typed: string): string {
  if (["destroy", "delete", "remove", "rm"].includes(typed))
    return "To delete objects, remove them from the YAML files and run `plumbline reconcile`.\n";
  const meant = Object.hasOwn(MEANINGS, typed) ? MEANINGS[typed] : undefined;
  return meant === undefined ? "Run `plumbline --help` for a list of commands.\n" : `Use \`plumbline ${meant}\` instead.\n`;
}

function configurationOf(program: Command, context: Context): string | undefined {
  try {
    return findConfiguration(program.opts(), context);
  } catch {
    return undefined;
  }
}

/** Omits defaults that need no mention: `false` and an empty list. */
function optionDescription(option: Option): string {
  const { defaultValue } = option;
  const isShown = defaultValue !== false && !(Array.isArray(defaultValue) && defaultValue.length === 0);
  return Help.prototype.optionDescription(isShown ? option : Object.assign(Object.create(option), { defaultValue: undefined }));
}

/** Lists commands before options. */
function formatHelp(command: Command, helper: Help): string {
  const sections = Help.prototype.formatHelp.call(helper, command, helper).trimEnd().split("\n\n");
  const isOptions = (section: string): boolean => /^Options:/.test(section);
  const ordered = [...sections.filter((section) => !isOptions(section)), ...sections.filter(isOptions)];
  return `${ordered.join("\n\n")}\n`;
}
