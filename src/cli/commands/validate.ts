import type { PlumblineError } from "../../core/errors.js";
import { loadDesired } from "../../desired/load.js";
import type { LoadedDesired } from "../../desired/loaded.js";
import { choosePaint } from "../../report/style.js";
import { count } from "../../report/words.js";
import { kinds } from "../../targets/registry.js";
import type { Context } from "../context.js";
import { findConfiguration, type GlobalOptions } from "../options.js";

/** Checks every file of the desired state. Gives the exit code. */
export async function validate(flags: GlobalOptions, context: Context): Promise<number> {
  const paint = choosePaint(context.stdout, context.environment, flags.color);
  const file = findConfiguration(flags, context);
  const loaded = await loadDesired(file, {
    environment: context.environment,
    kinds,
    today: context.now().toISOString().slice(0, 10),
    resolveSecrets: false,
  });
  const warnings = [...loaded.warnings, ...(await undeclaredIn(loaded))];
  if (warnings.length > 0) {
    const { printFaults } = await import("../failure.js");
    await printFaults(warnings, context.stderr, paint, file, "warning");
  }
  for (const { target, ignore } of loaded.expiredIgnores) {
    const place = loaded.targets.get(target)?.sources.locate(ignore.origin);
    const where = place === undefined ? target : `${place.file}:${place.line}`;
    context.stdout.write(
      `  ${paint("red", "expired")} ignore of ${ignore.path} (${ignore.owner}: ${ignore.reason}) ended ${ignore.until ?? ""}\n    at ${where}\n    Give it a later date, or remove it.\n`,
    );
  }
  const files = new Set([...loaded.filesByTarget.values()].flat()).size;
  if (loaded.expiredIgnores.length === 0)
    context.stdout.write(
      `${paint("green", "valid")}  ${count(loaded.configuration.targets.size, "target")}, ${count(files, "document")}\n`,
    );
  return loaded.expiredIgnores.length === 0 ? 0 : 1;
}

/** Words of assertions that nothing declares. */
async function undeclaredIn({ targets, configuration }: LoadedDesired): Promise<PlumblineError[]> {
  const found: PlumblineError[] = [];
  for (const desired of targets.values()) {
    const target = configuration.targets.get(desired.target);
    const role = kinds.get(target?.kind ?? "")?.policies;
    if (desired.assertions === undefined || target === undefined || role === undefined) continue;
    const { undeclaredWords } = await import("../../engine/insight/undeclared-words.js");
    found.push(...(await undeclaredWords(desired, role, target)));
  }
  return found;
}
