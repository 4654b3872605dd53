import type { Command } from "commander";
import { parse } from "yaml";
import { readConfigurationText } from "../../desired/configuration/configuration-text.js";
import { candidatesFor } from "../completion/candidates.js";
import { type Shell, scripts } from "../completion/scripts.js";
import type { Context } from "../context.js";
import { findConfiguration, type GlobalOptions } from "../options.js";

/** Prints the completion script of a shell. Returns the exit code. */
export async function completion(_flags: GlobalOptions, context: Context, shell: Shell): Promise<number> {
  context.stdout.write(scripts[shell]);
  return 0;
}

/**
 * Prints completions for a shell: one candidate for each line with its description after a tab, and `:files` if files are possible too.
 * Returns the exit code.
 */
export async function complete(program: Command, flags: GlobalOptions, context: Context, words: readonly string[]): Promise<number> {
  const targets = await targetNames(flags, context);
  const { words: found, files } = candidatesFor(program, words, targets);
  for (const { word, description } of found) context.stdout.write(`${word}\t${description.replaceAll(/\s+/g, " ")}\n`);
  if (files) context.stdout.write(":files\n");
  return 0;
}

/** Returns the target names in plumbline.yaml. Errors in the file are ignored, because the user is only typing a command. */
async function targetNames(flags: GlobalOptions, context: Context): Promise<string[]> {
  try {
    const { targets } = parse(await readConfigurationText(findConfiguration(flags, context))) as { readonly targets?: object };
    return Object.keys(targets ?? {});
  } catch {
    return [];
  }
}
