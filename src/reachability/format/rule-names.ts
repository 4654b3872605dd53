import type { Policy, RuleKey } from "../flows/policy.js";

/** Levels of a manager and its firewalls. Each may have rules with the same name. */
const LEVELS: ReadonlySet<string> = new Set(["pre", "local", "post"]);

/**
 * Adds the level to the name of each rule whose name is on several levels of the policies: `web (pre of shared)`. The policies are versions
 * of one rulebase.
 */
export function withDistinctNames<Of extends readonly Policy[]>(policies: Of): Of {
  const places = new Map<string, Set<string>>();
  for (const { key } of policies.flatMap(({ rules }) => rules)) {
    if (!LEVELS.has(key.level)) continue;
    const known = places.get(key.name) ?? new Set();
    places.set(key.name, known.add(placeOf(key)));
  }
  const renamed = (key: RuleKey): RuleKey =>
    LEVELS.has(key.level) && (places.get(key.name)?.size ?? 0) > 1 ? { ...key, name: `${key.name} (${placeOf(key)})` } : key;
  if ([...places.values()].every(({ size }) => size === 1)) return policies;
  return policies.map((policy) => ({
    ...policy,
    rules: policy.rules.map((rule) => ({ ...rule, key: renamed(rule.key) })),
    ...(policy.disabled === undefined ? {} : { disabled: policy.disabled.map(renamed) }),
  })) as unknown as Of;
}

function placeOf({ level, group }: RuleKey): string {
  return group === "" ? level : `${level} of ${group}`;
}
