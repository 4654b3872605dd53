import type { Path } from "../core/tree/path.js";

/**
 * The rulebase that a path lies in, of which platforms commit everybody's new, deleted and moved rules together: security
 * rules of a vsys, its NAT rules, a device group's rules before the firewalls' own … Undefined for a path in none.
 */
export function rulebaseOf(path: Path): Path | undefined {
  const steps = path.steps();
  const at = steps.findIndex(({ tag }) => tag.endsWith("rulebase"));
  return at === -1 ? undefined : (steps[at + 1] ?? steps[at]);
}
