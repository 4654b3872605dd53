import type { Command } from "commander";
import type { Context } from "./context.js";

/** The work of one command: flags as they were read, then the command's arguments. Gives the exit code. */
type Run = (flags: never, context: Context, ...args: never[]) => Promise<number>;

/** What commander calls for a command whose work is loaded only then. */
export type Lazily = (load: () => Promise<Run>) => (...given: unknown[]) => Promise<void>;

/**
 * Adds one command to the program: its name, options and help. Its work lies in `commands/` and is reached by `import()`
 * alone, so that a start loads nothing of what other commands need.
 */
export type Define = (program: Command, lazily: Lazily) => void;
