import { existsSync, realpathSync } from "node:fs";
import { dirname, join, relative, resolve, sep } from "node:path";
import { withAncestorFolders } from "../core/ancestor-folders.js";
import { PlumblineError } from "../core/errors.js";
import { readRegularFileSync, whyUnread } from "../core/regular-file.js";

/** Maximum size of a list of commands, in bytes. */
const MOST_BYTES = 1_048_576;

/** Returns whether the command of an `${exec:…}` may be run. */
export type CommandPolicy = (command: string) => boolean;

/** For unapproved commits: commands of a pull request must not run on the machine that plans it. */
export const NO_COMMANDS: CommandPolicy = () => false;

/** For trusted commits: an author who may change a device may also choose how its secrets are read. */
export const ANY_COMMAND: CommandPolicy = () => true;

/**
 * Parses `PLUMBLINE_ALLOW_EXEC`: `1` or `true` allows all commands, `0` or `false` allows no command. Otherwise the value names a file with
 * the allowed commands, one per line, compared completely; `#` begins a comment. Returns undefined for an empty text.
 *
 * @throws PlumblineError `exec-list-unreadable` if the file is missing, or is in the checkout, which a pull request could change
 */
export function commandPolicy(setting: string | undefined, folder: string, configurationFile: string): CommandPolicy | undefined {
  const text = setting?.trim() ?? "";
  if (text === "") return undefined;
  if (text === "0" || text === "false") return NO_COMMANDS;
  if (text === "1" || text === "true") return ANY_COMMAND;
  const listed = new Set(readList(resolve(folder, text), configurationFile));
  return (command) => listed.has(command.trim());
}

function readList(file: string, configurationFile: string): string[] {
  let content: string;
  try {
    const real = realpathSync(file);
    if (isBelow(checkoutRoot(dirname(configurationFile)), real)) throw unreadable(file, "is in the checkout, so a commit can change it");
    content = readRegularFileSync(real, MOST_BYTES).toString("utf8");
  } catch (cause) {
    if (cause instanceof PlumblineError) throw cause;
    throw unreadable(file, `cannot be read (${whyUnread(cause)})`);
  }
  return content
    .split(/\r?\n/)
    .map((line) => line.trim())
    .filter((line) => line !== "" && !line.startsWith("#"));
}

function unreadable(file: string, why: string): PlumblineError {
  return new PlumblineError("exec-list-unreadable", `The list of allowed commands ${why}.`, {
    where: { file },
    next: "Let PLUMBLINE_ALLOW_EXEC name a file outside the checkout, or set it to 1 to allow every command.",
  });
}

/** Returns the root of the working tree around `start`, without links, or else `start` itself. */
export function checkoutRoot(start: string): string {
  const folder = realpathSync(start);
  for (const at of withAncestorFolders(folder)) if (existsSync(join(at, ".git"))) return at;
  return folder;
}

/** Returns whether `file` is in `folder`, or equals it. */
export function isBelow(folder: string, file: string): boolean {
  const path = relative(folder, file);
  return path !== ".." && !path.startsWith(`..${sep}`);
}
