import type { TreeNode } from "../../../core/tree/node.js";
import { type Component, componentOf, managedOf, type PendingEdit, rulebaseOf, vsysOf } from "../state/change.js";
import { findChild } from "../tree/sibling-index.js";

/** Which pending edits a commit, validation or revert is limited to; an empty scope takes all. */
export interface Scope {
  /** Owners; undefined for all. */
  readonly admins: ReadonlySet<string> | undefined;
  readonly excluded: ReadonlySet<Component>;
  /** Undefined for all; empty for none (`no-vsys`). */
  readonly vsys: ReadonlySet<string> | undefined;
  /** Of a manager, by list: names whose edits are taken; a list that is not in it is taken whole. */
  readonly managed: ReadonlyMap<string, ReadonlySet<string>>;
}

const MANAGED = ["device-group", "template", "template-stack"] as const;

/** Reads `<partial>`; without one, everything. */
export function scopeOf(partial: TreeNode | undefined): Scope {
  const members = (tag: string): Set<string> | undefined => {
    const list = partial === undefined ? undefined : findChild(partial.children, tag);
    return list === undefined ? undefined : new Set(list.children.map((member) => member.text));
  };
  const components: Component[] = ["policy-and-objects", "device-and-network", "shared-object"];
  // The element alone excludes as well: pan-os-python sends it without the word.
  const excluded = components.filter((tag) => ["excluded", ""].includes(findChild(partial?.children ?? [], tag)?.text ?? "included"));
  const none = partial !== undefined && findChild(partial.children, "no-vsys") !== undefined;
  // Naming groups leaves no template out: `no-template` does.
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
 * Rules that several administrators add, delete or move in one rulebase are committed together: says which rulebase a
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
