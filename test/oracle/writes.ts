import type { Operation } from "../../src/core/operation.js";
import { pathOf } from "../../src/core/tree/lookup.js";
import { TreeNode } from "../../src/core/tree/node.js";
import { Path } from "../../src/core/tree/path.js";
import type { Shape } from "../../src/core/tree/shape.js";
import type { DesiredNode } from "../../src/desired/model.js";
import { created, inherited, isExtra, sameKey } from "./merged.js";

export interface Rules {
  readonly rewriteLists: boolean;
}

/** Every write that is legal on `state` (docs/contributing/plan.md#legality) and has an effect, for one desired tree. */
export function legalWrites(desired: DesiredNode, state: TreeNode, shape: Shape, rules: Rules): Operation[] {
  const writes: Operation[] = [];
  visit({ desired, state, shape, path: Path.root.child(desired.tag), unit: false, top: true }, rules, writes);
  return writes;
}

interface Here {
  readonly desired: DesiredNode;
  readonly state: TreeNode;
  readonly shape: Shape;
  readonly path: Path;
  /** Inside an entry of a defining list. */
  readonly unit: boolean;
  /** No set begins above the vsys: it would span scopes. */
  readonly top: boolean;
}

function visit(here: Here, rules: Rules, writes: Operation[]): void {
  const { desired, state, shape, path, unit } = here;
  if (desired.handling?.ignored === true || desired.handling?.keep === true || inherited(state)) return;
  for (const child of state.children) {
    const wanted = desired.children.find((node) => sameKey(node, child));
    const at = pathOf(path, child);
    if (wanted === undefined) {
      if (isExtra(desired, child, shape)) deletes(child, at, writes);
      continue;
    }
    const childShape = shape.child(child.tag);
    if (mayReplace(wanted, child, childShape, rules)) writes.push({ action: "edit", at, element: wanted });
    const inUnit = unit || (definesObjects(shape) && child.name !== undefined);
    const top = here.top && child.tag !== "entry";
    visit({ desired: wanted, state: child, shape: childShape, path: at, unit: inUnit, top }, rules, writes);
  }
  if (here.top && shape.kind !== "list") return;
  for (const wanted of desired.children) {
    const known = state.children.find((node) => sameKey(node, wanted));
    const inUnit = unit || (definesObjects(shape) && wanted.name !== undefined);
    for (const element of prunings(wanted, known)) {
      if (inUnit || isOneKind(element, shape.child(wanted.tag), shape)) writes.push({ action: "set", at: path, element });
    }
  }
}

function definesObjects(shape: Shape): boolean {
  return shape.kind === "list" && shape.defines !== undefined;
}

/** Inherited nodes below an extra node remain. All others may be deleted. */
function deletes(node: TreeNode, at: Path, writes: Operation[]): void {
  if (inherited(node)) return;
  if (!holdsInherited(node)) writes.push({ action: "delete", at });
  else for (const child of node.children) deletes(child, pathOf(at, child), writes);
}

function holdsInherited(node: TreeNode): boolean {
  return inherited(node) || node.children.some(holdsInherited);
}

function mayReplace(desired: DesiredNode, live: TreeNode, shape: Shape, { rewriteLists }: Rules): boolean {
  const isList = shape.kind === "list" || [...desired.children, ...live.children].some((child) => child.name !== undefined);
  return (!isList || rewriteLists) && isWhollyOurs(desired) && !holdsInherited(live);
}

function isWhollyOurs(desired: DesiredNode): boolean {
  return desired.declared && desired.handling === undefined && desired.prunes && desired.children.every(isWhollyOurs);
}

/** Every part of `desired` that a set can carry and that is missing; entries are complete. */
function prunings(desired: DesiredNode, known: TreeNode | undefined): TreeNode[] {
  if (desired.handling?.ignored === true || desired.handling?.keep === true || (known !== undefined && inherited(known))) return [];
  if (known === undefined && desired.name !== undefined) return created(desired);
  if (desired.children.length === 0) {
    const isThere = known !== undefined && (known.text === desired.text || known.children.length > 0);
    return isThere ? [] : created(desired);
  }
  let combinations: TreeNode[][] = [[]];
  for (const child of desired.children) {
    const below = prunings(
      child,
      known?.children.find((node) => sameKey(node, child)),
    );
    combinations = combinations.flatMap((chosen) => [chosen, ...below.map((element) => [...chosen, element])]);
  }
  return combinations.filter((chosen) => chosen.length > 0).map((chosen) => new TreeNode(desired.tag, desired.name, "", chosen));
}

/** Not two defining lists, and not a defining list together with a reference. */
function isOneKind(element: TreeNode, shape: Shape, above: Shape): boolean {
  const found = { lists: 0, refers: 0 };
  count(element, shape, above, found);
  return found.lists + (found.refers > 0 ? 1 : 0) <= 1;
}

function count(node: TreeNode, shape: Shape, above: Shape, found: { lists: number; refers: number }): void {
  if (definesObjects(shape)) found.lists += 1;
  else {
    if (node.children.length === 0 && (shape.references.length > 0 || above.references.length > 0)) found.refers += 1;
    for (const child of node.children) count(child, shape.child(child.tag), shape, found);
  }
}
