import { ANY_COMMAND, type CommandPolicy, commandPolicy } from "../desired/commands.js";
import type { Context } from "./context.js";
import { findConfiguration, type GlobalOptions } from "./options.js";

/** Returns the commands that `${exec:}` may run, from `--allow-exec` and `PLUMBLINE_ALLOW_EXEC`. Undefined if neither is set. */
export function allowedCommands(flags: GlobalOptions, context: Context): CommandPolicy | undefined {
  if (flags.allowExec === true) return ANY_COMMAND;
  return commandPolicy(context.environment.PLUMBLINE_ALLOW_EXEC, context.folder, findConfiguration(flags, context));
}
