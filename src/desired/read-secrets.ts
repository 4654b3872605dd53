import { PlumblineError } from "../core/errors.js";
import type { Problems } from "./problems.js";
import type { TargetTree } from "./references.js";
import type { SecretReader } from "./secrets.js";

/**
 * Reads the secrets of `targets` (undefined or empty means all) and of the targets that they refer to. Returns values by the text of the
 * reference. Reads each reference once.
 */
export async function readSecrets(
  trees: ReadonlyMap<string, TargetTree>,
  targets: readonly string[] | undefined,
  reader: SecretReader,
  problems: Problems,
): Promise<Map<string, string>> {
  const values = new Map<string, string>();
  const requested = new Set<string>();
  const reading: Promise<void>[] = [];
  for (const name of reachable(trees, targets)) {
    for (const { template, where } of trees.get(name)?.draft.pending.values() ?? []) {
      for (const part of template) {
        if (typeof part === "string" || part.kind === "keep" || part.kind === "target" || part.kind === "local") continue;
        if (requested.has(part.text)) continue;
        requested.add(part.text);
        reading.push(
          reader.read(part, where).then(
            (value) => void values.set(part.text, value),
            (cause: unknown) => {
              if (!(cause instanceof PlumblineError)) throw cause;
              problems.error(cause);
            },
          ),
        );
      }
    }
  }
  await Promise.all(reading);
  return values;
}

function reachable(trees: ReadonlyMap<string, TargetTree>, targets: readonly string[] | undefined): ReadonlySet<string> {
  const names = new Set(targets === undefined || targets.length === 0 ? trees.keys() : targets);
  for (const name of names)
    for (const { template } of trees.get(name)?.draft.pending.values() ?? [])
      for (const part of template) if (typeof part !== "string" && part.kind === "target") names.add(part.target);
  return names;
}
