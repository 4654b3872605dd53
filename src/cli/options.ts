import { existsSync, statSync } from "node:fs";
import { userInfo } from "node:os";
import { isAbsolute, join, resolve } from "node:path";
import { type Command, InvalidArgumentError, Option } from "commander";
import { withAncestorFolders } from "../core/ancestor-folders.js";
import { PlumblineError } from "../core/errors.js";
import { HOST_KINDS } from "../pull-request/host-kinds.js";
import { type Format, formats } from "../report/renderers.js";
import type { Context } from "./context.js";

/** Options of every command. */
export interface GlobalOptions {
  readonly config?: string;
  readonly state?: string;
  readonly color: boolean;
  readonly logLevel: string;
  readonly quiet?: boolean;
  /** Only the agent has this option. */
  readonly logFormat?: "text" | "json";
  readonly timeout?: number;
  readonly allowExec?: boolean;
}

/** Options of commands that write. */
export interface WriteFlags {
  readonly allow: readonly string[];
  readonly takeover: boolean;
  readonly lockTimeout: number;
  readonly allowEmptyLive: readonly string[];
  readonly allowNonDescendant: boolean;
  readonly ledger?: string;
  readonly rotate: boolean;
}

/** Output formats of commands that do not report on targets. */
const PLAIN_FORMATS = ["text", "json"] as const;

export interface PlainFormat {
  readonly format: (typeof PLAIN_FORMATS)[number];
}

export interface FormatOption {
  readonly format: Format;
}

/** Collects the values of a repeatable option. */
export const collect = (value: string, before: readonly string[]): string[] => [...before, value];

/** Collects the values of a repeatable option that accepts only the given values. */
export function oneOf<Word extends string>(known: readonly Word[]): (value: string, before: readonly Word[]) => Word[] {
  return (value, before) => {
    const word = known.find((one) => one === value);
    if (word === undefined) throw new InvalidArgumentError(`One of ${known.join(", ")}.`);
    return [...before, word];
  };
}

/** Parses a number in plain digits. */
export function integerOption(least: number, most?: number): (value: string) => number {
  return (value) => {
    const number = Number(value);
    if (/^(?:0|[1-9]\d{0,8})$/.test(value) && number >= least && number <= (most ?? number)) return number;
    throw new InvalidArgumentError(`An integer from ${least} ${most === undefined ? "on" : `to ${most}`}.`);
  };
}

function seconds(value: string): number {
  const number = Number(value);
  if (!Number.isFinite(number) || number <= 0) {
    throw new PlumblineError("option-invalid", `"${value}" is not a number of seconds.`, {
      next: "Give a number above 0, for example 60.",
    });
  }
  return number;
}

export function withGlobalOptions(command: Command): Command {
  return command
    .option("--config <file>", "Path to plumbline.yaml")
    .option("--state <dir>", "Folder for the journal, ledger and keys")
    .option("--no-color", "Disable colors (also NO_COLOR)")
    .addOption(
      new Option("--log-level <level>", "Level of log messages on standard error")
        .choices(["silent", "error", "warn", "info", "debug"])
        .default("warn"),
    )
    .option("-q, --quiet", "Print only failures and the summary line")
    .option("--timeout <seconds>", "Timeout of a single request", seconds)
    .option("--allow-exec", "Allow ${exec:…} to run commands (also PLUMBLINE_ALLOW_EXEC)");
}

/** Adds `[target...]`, its alias `--target` and `--path`. */
export function withTargets(command: Command): Command {
  return withTargetNames(command).option("--path <xpath>", "Limit to this subtree");
}

/** Adds `--unmanaged`. */
export function withUnmanaged(command: Command): Command {
  return command.option("--unmanaged", "List the entries that no document declares, in lists with declared entries");
}

/** Adds `[target...]` as the last argument and its alias `--target`. The command gets the names of both as its flag `target`. */
export function withTargetNames(command: Command): Command {
  return command
    .option("--target <name>", "Limit to this target (repeatable)", collect, [])
    .argument("[target...]", "Names of targets (default: all)")
    .hook("preAction", (action) => {
      action.setOptionValue("target", [...action.opts().target, ...action.processedArgs.at(-1)]);
    });
}

export function withLedger(command: Command): Command {
  return command.option("--ledger <place>", "Location of the ledger: git, store, a file or a URL");
}

export function withFormat(command: Command): Command {
  return command.addOption(new Option("--format <format>", "Output format").choices(formats).default("text"));
}

/** Adds `--format` to a command that does not report on targets. */
export function withPlainFormat(command: Command): Command {
  return command.addOption(new Option("--format <format>", "Output format").choices(PLAIN_FORMATS).default("text"));
}

/** Adds `--report`, which writes additional reports of the same run. */
export function withReports(command: Command): Command {
  return command.option("--report <format=file>", "Also write the report to a file in this format (repeatable)", collect, []);
}

/** Adds the options of a code host. The defaults come from `PLUMBLINE_*` and the variables of the CI system. */
export function withHost(command: Command): Command {
  return command
    .addOption(new Option("--host <kind>", "Kind of code host (detected in CI)").choices(HOST_KINDS))
    .option("--repo <owner/name>", "Repository on the code host (detected in CI)")
    .option("--api <url>", "Base URL of the code host's API (detected in CI)")
    .option("--plaintext", "Send the token over unencrypted HTTP");
}

/** Adds the options that override guards. `plan` accepts them too, to show the result that `apply` would have. */
export function withAllowances(command: Command): Command {
  return withLedger(command)
    .option("--allow <guard[=value]>", "Override a guard once; the refusal prints the value (repeatable)", collect, [])
    .addOption(
      new Option("--allow-empty-live <path>", "Former spelling of --allow empty-live=PATH").argParser(collect).default([]).hideHelp(),
    )
    .addOption(new Option("--allow-non-descendant", "Former spelling of --allow non-descendant").default(false).hideHelp())
    .option("--rotate", "Write stored secrets again, even if they seem unchanged", false);
}

export function withWrites(command: Command): Command {
  return withAllowances(command)
    .option("--takeover", "Take over a lock that another Plumbline run left behind", false)
    .option("--lock-timeout <seconds>", "Maximum time to wait for a lock", seconds, 0);
}

/** Hides options that have no effect on this command. It still accepts them, because scripts may pass them. */
export function hideOptions(command: Command, ...names: readonly string[]): Command {
  for (const option of command.options) if (names.includes(option.long ?? "")) option.hideHelp();
  return command;
}

/** Adds two examples and a page of `docs`, named without its extension, to the help. */
export function withExamples(command: Command, page: string, ...examples: readonly [string, string]): Command {
  const lines = examples.map((each) => `  $ plumbline ${each}`).join("\n");
  return command.addHelpText("after", `\nExamples:\n${lines}\n\nGlobal options: plumbline --help\nDocumentation: docs/${page}.md`);
}

/**
 * Returns the configuration file from `--config` or `PLUMBLINE_CONFIG`. Otherwise plumbline.yaml or desired-state/plumbline.yaml in this
 * folder or a parent folder, up to the root of the git repository.
 */
export function findConfiguration(options: GlobalOptions, context: Context): string {
  const named = options.config ?? context.environment.PLUMBLINE_CONFIG;
  if (named !== undefined && named !== "") return resolve(context.folder, named);
  const found = foldersUpToRepository(context.folder)
    .flatMap((folder) => ["plumbline.yaml", join("desired-state", "plumbline.yaml")].map((file) => join(folder, file)))
    .find((file) => existsSync(file));
  if (found !== undefined) return found;
  throw new PlumblineError("configuration-not-found", "There is no plumbline.yaml here.", {
    where: { file: context.folder },
    next: "Change to its folder, set --config FILE or PLUMBLINE_CONFIG, or create one with `plumbline init`.",
  });
}

/**
 * Returns this folder and its parents up to the folder with `.git`. Returns only this folder if there is no repository, or if a parent
 * belongs to another user: files there may not be intended for this user.
 */
function foldersUpToRepository(folder: string): string[] {
  const owner = statSync(folder, { throwIfNoEntry: false })?.uid;
  const folders: string[] = [];
  for (const at of withAncestorFolders(folder)) {
    if (at !== folder && statSync(at).uid !== owner) break;
    folders.push(at);
    if (existsSync(join(at, ".git"))) return folders;
  }
  return [folder];
}

/** Returns `--state`, `PLUMBLINE_STATE_DIR`, `$XDG_STATE_HOME/plumbline` or ~/.local/state/plumbline, in this order. */
export function stateFolder(options: GlobalOptions, context: Context): string {
  const { environment } = context;
  const named = options.state ?? environment.PLUMBLINE_STATE_DIR;
  if (named !== undefined && named !== "") return resolve(context.folder, named);
  const base = environment.XDG_STATE_HOME;
  return base !== undefined && base !== "" ? join(base, "plumbline") : join(homeOf(environment.HOME), ".local", "state", "plumbline");
}

/** Returns the home folder. An empty or relative HOME would place the state in the working folder. */
function homeOf(home: string | undefined): string {
  return home !== undefined && isAbsolute(home) ? home : userInfo().homedir;
}

/** Guards whose values accumulate, because they are places or names. For other guards the last value is used. */
const ADDING_UP = ["not-as-left", "data", "assertion", "empty-live"];

/** Parses `GUARD=VALUE` rows. The plan checks the names and values of guards. */
export function parseAllow(rows: readonly string[]): ReadonlyMap<string, string> {
  const values = new Map<string, string>();
  for (const row of rows) {
    const at = row.indexOf("=");
    if (row === "" || at === 0)
      throw new PlumblineError("option-invalid", `--allow ${row} has no guard name.`, { next: "Copy the --allow flag from the refusal." });
    const guard = at === -1 ? row : row.slice(0, at);
    const value = at === -1 ? "" : row.slice(at + 1);
    const others = values.get(guard);
    values.set(guard, ADDING_UP.includes(guard) && others !== undefined ? `${others}\n${value}` : value);
  }
  return values;
}

/** Adds the options of a replay of logged sessions. */
export function withReplay(command: Command): Command {
  return command
    .option("--replay <since>", "Report how the plan affects logged sessions since this time, for example 1h or 7d")
    .option("--replay-records <n>", "Maximum number of log records to replay, newest first", integerOption(1, 100_000_000), 200_000)
    .addOption(
      new Option(
        "--replay-from <source>",
        "Read sessions from the device log or from the agent's store (default: store, then device)",
      ).choices(["device", "store"]),
    );
}
