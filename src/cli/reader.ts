import { PlumblineError } from "../core/errors.js";
import type { Configuration, TargetConfiguration } from "../desired/configuration/configuration.js";
import { loadConfiguration } from "../desired/load.js";
import { suggest } from "../desired/suggest.js";
import type { ReadTarget } from "../engine/target.js";
import { choosePaint } from "../report/style.js";
import { kinds } from "../targets/registry.js";
import { allowedCommands } from "./allowed-commands.js";
import type { Context } from "./context.js";
import { reportFailure } from "./failure.js";
import { readersFor } from "./open-targets.js";
import { findConfiguration, type GlobalOptions } from "./options.js";
import { openSession } from "./terminal.js";

/** Opens a target. The result is closed after the work. */
export type Open<T> = (configuration: TargetConfiguration) => T | Promise<T>;

/** Runs `eachTarget` with readers, for read-only commands. */
export function readOnly(
  flags: GlobalOptions,
  context: Context,
  names: readonly string[],
  work: (target: ReadTarget, configuration: TargetConfiguration, settings: Configuration) => Promise<void>,
): Promise<number> {
  return eachTarget(flags, context, names, readersFor(openSession(flags, context).logger).reader, work);
}

/** Opens the named targets, or all, in sequence. A target that fails is reported, and the others continue. Returns the highest exit code. */
export async function eachTarget<T extends { close(): Promise<void> }>(
  flags: GlobalOptions,
  context: Context,
  names: readonly string[],
  open: Open<T>,
  work: (target: T, configuration: TargetConfiguration, settings: Configuration) => Promise<void>,
): Promise<number> {
  const configuration = await loadConfiguration(findConfiguration(flags, context), {
    environment: context.environment,
    mayRun: allowedCommands(flags, context),
    kinds,
    targets: names,
  });
  const wanted = names.length > 0 ? names : [...configuration.targets.keys()];
  let code = 0;
  for (const name of wanted) {
    const target = configuration.targets.get(name);
    try {
      if (target === undefined) {
        throw new PlumblineError("target-unknown", `There is no target "${name}".`, {
          where: { file: configuration.file },
          next: suggest(name, [...configuration.targets.keys()]),
        });
      }
      const reader = await open(target);
      try {
        await work(reader, target, configuration);
      } finally {
        await reader.close();
      }
    } catch (error) {
      code = Math.max(code, await reportFailure(error, context.stderr, choosePaint(context.stderr, context.environment, flags.color)));
    }
  }
  return code;
}
