import type { Command } from "commander";
import { parse } from "yaml";
import { readConfigurationText } from "../../desired/configuration/configuration-text.js";
import { candidatesFor } from "../completion/candidates.js";
import { type Shell, scripts } from "../completion/scripts.js";
import type { Context } from "../context.js";
import { findConfiguration, type GlobalOptions } from "../options.js";

/** Prints what a shell reads to complete our command lines. Gives the exit code. */
export async function completion(_flags: GlobalOptions, context: Context, shell: Shell): Promise<number> {
  context.stdout.write(scripts[shell]);
  return 0;
}

/** Answers a shell: a candidate a line, its description after a tab, and `:files` where files may stand, too. Gives the exit code. */
export async function complete(program: Command, flags: GlobalOptions, context: Context, words: readonly string[]): Promise<number> {
  const targets = await targetNames(flags, context);
  const { words: found, files } = candidatesFor(program, words, targets);
  for (const { word, description } of found) context.stdout.write(`${word}\t${description.replaceAll(/\s+/g, " ")}\n`);
  if (files) context.stdout.write(":files\n");
  return 0;
}

/** Names as they stand in plumbline.yaml, of one that has faults, too: whoever types is not asking for its faults. */
async function targetNames(flags: GlobalOptions, context: Context): Promise<string[]> {
  try {
    const { targets } = parse(await readConfigurationText(findConfiguration(flags, context))) as { readonly targets?: object };
    return Object.keys(targets ?? {});
  } catch {
    return [];
  }
}
