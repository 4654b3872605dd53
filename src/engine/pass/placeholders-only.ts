import { type Operation, touchedPath } from "../../core/operation.js";
import type { TreeNode } from "../../core/tree/node.js";
import type { Path } from "../../core/tree/path.js";
import { DesiredNode } from "../../desired/model.js";
import type { Plan } from "../../plan/model.js";

/**
 * True if `after` only fills in values that `before` could not know yet: values of references, and parts of objects that another target had
 * to create first (docs/contributing/plan.md#digest).
 */
export function onlyFillsPlaceholders(before: Plan, after: Plan): boolean {
  const awaited = before.findings.filter(({ kind, refuses }) => kind === "place-missing" && !refuses).map(({ path }) => path);
  const shown = new Map<string, Operation[]>();
  const open: Path[] = [];
  for (const { operation } of before.operations) {
    const known = shown.get(keyOf(operation));
    if (known === undefined) shown.set(keyOf(operation), [operation]);
    else known.push(operation);
    const list = listToBeNamed(operation);
    if (list !== undefined) open.push(list);
  }
  return after.operations.every(
    ({ operation }) =>
      awaited.some((place) => place.contains(touchedPath(operation))) ||
      open.some((list) => list.contains(operation.at)) ||
      shown.get(keyOf(operation))?.some((other) => isFilled(other, operation)) === true,
  );
}

function keyOf({ action, at }: Operation): string {
  return `${action} ${at}`;
}

/** The list of which an operation writes an entry whose name is not known yet. */
function listToBeNamed(operation: Operation): Path | undefined {
  if (operation.action !== "set" && operation.action !== "edit") return undefined;
  return holdsUnnamed(operation.element) ? operation.at : undefined;
}

function holdsUnnamed(node: TreeNode): boolean {
  return (isUnresolved(node) && node.name !== undefined) || node.children.some(holdsUnnamed);
}

function isFilled(before: Operation, after: Operation): boolean {
  if (before.action !== after.action) return false;
  if (before.action === "set" || before.action === "edit") return "element" in after && isFilledNode(before.element, after.element);
  if (before.action === "move") return "where" in after && before.where === after.where && anchorOf(before) === anchorOf(after);
  return before.action !== "rename" || ("newName" in after && before.newName === after.newName);
}

function anchorOf(operation: Operation): string | undefined {
  return "anchor" in operation ? operation.anchor : undefined;
}

function isFilledNode(before: TreeNode, after: TreeNode): boolean {
  if (before.tag !== after.tag || before.name !== after.name || before.children.length !== after.children.length) return false;
  if (before.children.length === 0) return isUnresolved(before) || before.text === after.text;
  return before.children.every((child, index) => {
    const other = after.children[index];
    return other !== undefined && isFilledNode(child, other);
  });
}

function isUnresolved(node: TreeNode): boolean {
  return node instanceof DesiredNode && node.handling?.unresolved !== undefined;
}
