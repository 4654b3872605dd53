import { childByTag, find, pathOf, shapeAt } from "../../../core/tree/lookup.js";
import type { TreeNode } from "../../../core/tree/node.js";
import { Path } from "../../../core/tree/path.js";
import type { Shape } from "../../../core/tree/shape.js";
import { deviceEntry } from "../scope.js";
import { panosShape } from "../shape.js";
import { differencesOf, type PushDifference } from "./differences.js";
import { type GroupPolicy, listsIn } from "./projection.js";

const CONFIG = Path.root.child("config");
const SHARED = CONFIG.child("shared");

/** An object of a firewall that has the name of a pushed object. */
export interface NameConflict {
  readonly path: Path;
  /** True if both are in the same place: the firewall then refuses the push. Otherwise its own object wins in its virtual system. */
  readonly collides: boolean;
}

/**
 * Finds objects of a virtual system and of the firewall's `shared` with the names of pushed objects. `local` is the firewall's own running
 * configuration.
 */
export function* nameConflicts(policy: GroupPolicy, local: TreeNode, vsys: string): Generator<NameConflict> {
  const shape = shapeAt(policy.path, panosShape());
  const spaceOf = (list: string) => list.split("/").reduce((at, tag) => at.child(tag), shape).namespace ?? list;
  const pushed = { own: new Set<string>(), shared: new Set<string>() };
  for (const [list, entries] of policy.objects)
    for (const [name, { level }] of entries) pushed[level.word === "shared" ? "shared" : "own"].add(`${spaceOf(list)} ${name}`);
  for (const place of [deviceEntry.child("vsys").entry(vsys), SHARED]) {
    const isShared = place === SHARED;
    const node = find(local, place);
    for (const [list, entries] of node === undefined ? [] : listsIn(node)) {
      const at = list.split("/").reduce((path, tag) => path.child(tag), place);
      for (const { name = "" } of entries) {
        const key = `${spaceOf(list)} ${name}`;
        const collides = pushed[isShared ? "shared" : "own"].has(key);
        if (collides || (!isShared && pushed.shared.has(key))) yield { path: at.entry(name), collides };
      }
    }
  }
}

/** Finds the firewall's own values that override different values of its template. An entry of its own overrides the complete entry. */
export function overridesOf(template: TreeNode, local: TreeNode): Generator<PushDifference> {
  return overridesIn(template, local, panosShape(), CONFIG);
}

function* overridesIn(pushed: TreeNode, local: TreeNode, shape: Shape, path: Path): Generator<PushDifference> {
  for (const own of local.children) {
    const other = pushed.children.find(({ tag, name }) => tag === own.tag && name === own.name);
    if (other === undefined) continue;
    const below = shape.child(own.tag);
    const at = pathOf(path, own);
    const isComplete = own.name !== undefined ? !below.structural : own.children.every(({ tag }) => tag === "member");
    if (!isComplete) yield* overridesIn(other, own, below, at);
    else if (own.children.length > 0 || own.text !== "" || childByTag(other, "member") !== undefined) {
      const [first] = differencesOf(other, own, below, at);
      if (first !== undefined) yield { ...first, path: at };
    }
  }
}
