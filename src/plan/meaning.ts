import { find, pathOf } from "../core/tree/lookup.js";
import type { TreeNode } from "../core/tree/node.js";
import type { Path } from "../core/tree/path.js";
import type { Shape } from "../core/tree/shape.js";
import type { DesiredNode } from "../desired/model.js";
import { afterOperations } from "./after.js";
import type { Change } from "./diff/change.js";
import type { MeaningChange, PlanInput, Refusal } from "./model.js";
import type { GuardContext } from "../guards/context.js";

/** Refuses changes that could lock Plumbline out, at the first dangerous node of each. */
export function refuseLockOut({ input, changes, operations, knots, allow }: GuardContext): Refusal[] {
  if (allow.has("management")) return [];
  const refusals: Refusal[] = [];
  for (const change of changes) {
    const danger = change.kind === "order" ? undefined : dangerIn(change, input);
    if (danger === undefined) continue;
    refusals.push({
      guard: "management",
      message: `This can lock Plumbline out: ${danger.words}`,
      path: danger.path,
      allow: "--allow management",
    });
  }
  return [...refusals, ...cutOff({ input, operations, knots })];
}

/** Refuses changes to the network path to the target. They only show when the trees before and after are compared. */
function cutOff({ input, operations, knots }: Pick<GuardContext, "input" | "operations" | "knots">): Refusal[] {
  const { reachedAt = [], candidate, kindGuards } = input;
  if (kindGuards.ownPath === undefined || reachedAt.length === 0 || operations.length === 0 || knots.length > 0) return [];
  const cut = kindGuards.ownPath.cut(reachedAt, candidate, afterOperations(candidate, operations));
  return cut.map(({ path, words }) => ({
    guard: "management",
    message: `This can lock Plumbline out: ${words}`,
    path,
    allow: "--allow management",
  }));
}

function dangerIn(change: Change, { kindGuards }: PlanInput): { path: Path; words: string } | undefined {
  const before = "before" in change && change.kind !== "order" ? change.before : undefined;
  const after = "after" in change && change.kind !== "order" ? change.after : undefined;
  const search = (node: TreeNode | undefined, path: Path): { path: Path; words: string } | undefined => {
    const words = kindGuards.management(path);
    if (words !== undefined) return { path, words };
    for (const child of node?.children ?? []) {
      const found = search(child, pathOf(path, child));
      if (found !== undefined) return found;
    }
    return undefined;
  };
  return search(before, change.path) ?? (after === undefined ? undefined : search(after, change.path));
}

/**
 * Returns how the changes weaken the configuration, once per object. The object is the outermost entry that is not structural, or else the
 * changed node.
 */
export function meaningChanges(changes: readonly Change[], desired: DesiredNode, input: PlanInput): MeaningChange[] {
  const seen = new Set<string>();
  const found: MeaningChange[] = [];
  for (const change of changes) {
    if (change.kind === "order") continue;
    for (const path of objectsOf(change, input.shape)) {
      const key = path.toString();
      if (seen.has(key)) continue;
      seen.add(key);
      const former = change.kind === "renamed" && path.parent !== undefined ? path.parent.entry(change.from, path.tag) : path;
      const words = input.kindGuards.meaning(path, find(input.candidate, former), find(desired, path));
      if (words !== undefined) found.push({ path, message: words });
    }
  }
  return found;
}

/** Returns the object around the change, or all objects in it if a list or container changes. */
function objectsOf(change: Change, root: Shape): Path[] {
  let shape = root;
  for (const step of change.path.steps().slice(1)) {
    shape = shape.child(step.tag);
    if (step.name !== undefined && !shape.structural) return [step];
  }
  const node =
    change.kind === "extra" || change.kind === "differs"
      ? change.before
      : "after" in change && change.kind === "missing"
        ? change.after
        : undefined;
  const objects: Path[] = [];
  if (node !== undefined) collectObjects(node, change.path, shape, objects);
  return objects.length === 0 ? [change.path] : objects;
}

function collectObjects(node: TreeNode, path: Path, shape: Shape, objects: Path[]): void {
  for (const child of node.children) {
    const at = pathOf(path, child);
    const childShape = shape.child(child.tag);
    if (child.name !== undefined && !childShape.structural) objects.push(at);
    else if (child.children.length > 0) collectObjects(child, at, childShape, objects);
  }
}

/** Refuses weakening changes if the repository requires approval. */
export function refuseMeaning(meaning: readonly MeaningChange[], { input, allow }: GuardContext): Refusal[] {
  if (input.approve !== "required" || allow.has("meaning")) return [];
  return meaning.map(({ path, message }) => ({
    guard: "meaning",
    message: `${message} Approval is required.`,
    path,
    allow: "--allow meaning",
  }));
}
