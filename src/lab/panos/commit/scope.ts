import type { TreeNode } from "../../../core/tree/node.js";
import { type Component, componentOf, managedOf, type PendingEdit, rulebaseOf, vsysOf } from "../state/change.js";
import { findChild } from "../tree/sibling-index.js";

/** Scope of a commit, validation or revert. An empty scope contains all pending edits. */
export interface Scope {
  /** Owners of the edits. Undefined for all owners. */
  readonly admins: ReadonlySet<string> | undefined;
  readonly excluded: ReadonlySet<Component>;
  /** Undefined for every vsys. Empty for no vsys (`no-vsys`). */
  readonly vsys: ReadonlySet<string> | undefined;
  /** For managers: the selected names for each list. A list without an entry is selected completely. */
  readonly managed: ReadonlyMap<string, ReadonlySet<string>>;
}

const MANAGED = ["device-group", "template", "template-stack"] as const;

/** Reads `<partial>`. Without it, the scope contains everything. */
export function scopeOf(partial: TreeNode | undefined): Scope {
  const members = (tag: string): Set<string> | undefined => {
    const list = partial === undefined ? undefined : findChild(partial.children, tag);
    return list === undefined ? undefined : new Set(list.children.map((member) => member.text));
  };
  const components: Component[] = ["policy-and-objects", "device-and-network", "shared-object"];
  // An empty element also excludes: pan-os-python sends it without the text `excluded`.
  const excluded = components.filter((tag) => ["excluded", ""].includes(findChild(partial?.children ?? [], tag)?.text ?? "included"));
  const none = partial !== undefined && findChild(partial.children, "no-vsys") !== undefined;
  // A list of device groups does not exclude templates; only `no-template` does.
  const managed = MANAGED.flatMap((list): [string, ReadonlySet<string>][] => {
    const isOut = findChild(partial?.children ?? [], `no-${list}`) !== undefined;
    const names = isOut ? new Set<string>() : members(list);
    return names === undefined ? [] : [[list, names]];
  });
  return { admins: members("admin"), excluded: new Set(excluded), vsys: none ? new Set() : members("vsys"), managed: new Map(managed) };
}

export function isInScope({ stamp, effect }: PendingEdit, { admins, excluded, vsys, managed }: Scope): boolean {
  if (admins !== undefined && !admins.has(stamp.admin)) return false;
  if (excluded.has(componentOf(effect.xpath))) return false;
  const place = managedOf(effect.xpath);
  if (place !== undefined) return managed.get(place.list)?.has(place.name) ?? true;
  const own = vsysOf(effect.xpath);
  return own === undefined || vsys === undefined || vsys.has(own);
}

/**
 * Rules that several administrators add, delete or move in one rulebase must be committed together. Returns the first rulebase that a
 * selection would split, or undefined.
 */
export function splitRulebase(
  selected: readonly PendingEdit[],
  left: readonly PendingEdit[],
): { readonly rulebase: string; readonly owners: string[] } | undefined {
  const owners = new Map<string, Set<string>>();
  for (const edit of left) {
    const rulebase = rulebaseOf(edit);
    if (rulebase === undefined) continue;
    const known = owners.get(rulebase) ?? new Set();
    owners.set(rulebase, known.add(edit.stamp.admin));
  }
  for (const edit of selected) {
    const rulebase = rulebaseOf(edit);
    const others = rulebase === undefined ? undefined : owners.get(rulebase);
    if (rulebase !== undefined && others !== undefined) return { rulebase, owners: [...others] };
  }
  return undefined;
}
