import type { Command } from "commander";
import type { Context } from "./context.js";

/** Runs one command with its parsed flags and arguments. Returns the exit code. */
type Run = (flags: never, context: Context, ...args: never[]) => Promise<number>;

/** Creates the action of a command whose code is loaded on use. */
export type Lazily = (load: () => Promise<Run>) => (...given: unknown[]) => Promise<void>;

/**
 * Adds one command to the program: its name, options and help. The code is in `commands/` and is only loaded with `import()`, so that a
 * start loads no code of other commands.
 */
export type Define = (program: Command, lazily: Lazily) => void;
