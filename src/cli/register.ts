import type { Command } from "commander";
import type { Context } from "./context.js";

/** Adds one command to the program; `finish` takes its exit code. */
export type Register = (program: Command, context: Context, finish: (code: number) => void) => void;
