import type { Path } from "../core/tree/path.js";

/**
 * Returns the rulebase around a path, or undefined. Platforms commit new, deleted and moved rules of all administrators in a rulebase
 * together. Examples: security rules of a vsys, its NAT rules, the pre-rules of a device group.
 */
export function rulebaseOf(path: Path): Path | undefined {
  const steps = path.steps();
  const at = steps.findIndex(({ tag }) => tag.endsWith("rulebase"));
  return at === -1 ? undefined : (steps[at + 1] ?? steps[at]);
}
