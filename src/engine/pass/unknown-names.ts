import { find } from "../../core/tree/lookup.js";
import type { TreeNode } from "../../core/tree/node.js";
import type { Path } from "../../core/tree/path.js";
import { NAMES } from "../../guards/names.js";
import { afterOperations } from "../../plan/after.js";
import type { Finding } from "../../plan/diff/change.js";
import type { Plan } from "../../plan/model.js";
import type { NameReference } from "../../plan/namespace.js";
import type { Capabilities } from "../../plan/platform.js";
import { anyOf, type KindNames, type ListedReference, type UnknownName, unknownNames } from "../../plan/unknown-names.js";
import type { ReadTarget } from "../target.js";
import type { TargetContext } from "./context.js";
import { type PlanAndInputs, readEverything } from "./foreign-pending.js";

interface Looking extends PlanAndInputs {
  readonly target: ReadTarget;
  readonly capabilities: Capabilities;
  readonly context: TargetContext;
  readonly names: KindNames;
}

const NONE: UnknownNames = { missing: [], unlisted: [], findings: [] };

/** Names that the plan would write and that do not exist. `findings` if a manager of the target may push them. */
interface UnknownNames {
  readonly missing: readonly UnknownName[];
  readonly unlisted: readonly ListedReference[];
  readonly findings: readonly Finding[];
}

/**
 * Returns names that the plan would write and that do not exist: neither declared, nor live after the plan, nor predefined by the platform
 * (docs/desired-state.md#names). Values that are already on the device do not count.
 * Reads further lists only for names that were not found, until they are found.
 */
export async function unknownNamesIn(
  target: ReadTarget,
  capabilities: Capabilities,
  context: TargetContext,
  sides: PlanAndInputs,
): Promise<UnknownNames> {
  const { names } = context.kindGuards;
  if (names === undefined || sides.plan.operations.length === 0 || context.options.overrides.allow.has(NAMES)) return NONE;
  const looking = { ...sides, target, capabilities, context, names };
  const missing = await missingNames(looking);
  const unlisted = await unlistedNames(looking);
  if (missing.length === 0 && unlisted.length === 0) return NONE;
  if (await isPushedTo(target, names)) return { ...NONE, findings: missing.map(leftToManager) };
  return { missing, unlisted, findings: [] };
}

/** References that the plan writes and whose object a second list must name, but does not. Reads such a list when the plan has not. */
async function unlistedNames({ plan, live, context, target, names }: Looking): Promise<readonly ListedReference[]> {
  const after = afterOperations(live.candidate, plan.operations);
  const listed = names.listed?.(context.desired.root) ?? [];
  const open = listed.filter((each) => isWritten(each, plan, live.candidate) && each.isListed(after) !== true);
  const isRead = ({ list }: ListedReference): boolean => live.subtrees.some((path) => path.contains(list));
  const lists = new Map(open.filter((each) => !isRead(each)).map(({ list }) => [list.toString(), list]));
  if (lists.size === 0) return open.filter((each) => each.isListed(after) === false);
  const { tree } = await readLists(target, [...lists.values()]);
  return open.filter((each) => [after, tree].some((known) => each.isListed(known) === false) && each.isListed(tree) !== true);
}

async function missingNames(looking: Looking): Promise<readonly UnknownName[]> {
  const { plan, live, context, target, capabilities, names } = looking;
  const written = (unknown: readonly UnknownName[]) => unknown.filter(({ reference }) => isWritten(reference, plan, live.candidate));
  const undeclared = written(unknownNames(context.desired, target.shape, names));
  if (undeclared.length === 0) return [];
  const trees = [afterOperations(live.candidate, plan.operations)];
  const look = () => {
    const scopeParents = trees
      .map((tree) => context.kindGuards.scopeParents?.(tree))
      .find((parents) => parents !== undefined && parents.size > 0);
    return written(unknownNames(context.desired, target.shape, names, { trees, scopeParents }));
  };
  let left = look();
  if (left.length === 0) return left;
  if (trees.some((tree) => names.seesEverywhere(tree))) {
    trees.push((await readEverything(target, capabilities, context)).candidate);
    return look();
  }
  const read = new Set(live.subtrees.map(String));
  for (let round = 0; left.some(({ lists }) => round < lists.length); round += 1) {
    const next = new Map(left.flatMap(({ lists }) => (lists[round] ?? []).map((list) => [list.toString(), list] as const)));
    for (const key of next.keys()) if (read.has(key)) next.delete(key);
    if (next.size === 0) continue;
    const { tree, doubtful } = await readLists(target, [...next.values()]);
    trees.push(tree);
    // The list may exist although it reads as absent. The device decides then.
    left = look().filter(({ lists }) => !lists.some((kind) => kind.some((list) => doubtful.has(list.toString()))));
  }
  return left;
}

async function readLists(
  target: ReadTarget,
  lists: readonly Path[],
): Promise<{ readonly tree: TreeNode; readonly doubtful: ReadonlySet<string> }> {
  const doubtful = new Set<string>();
  const tree = await target.read(lists, "candidate", (path) => doubtful.add(path.toString()));
  return { tree, doubtful };
}

function isWritten({ path, value }: Pick<NameReference, "path" | "value">, { changes }: Plan, live: TreeNode): boolean {
  const there = find(live, path);
  if (there !== undefined && (path.name !== undefined || there.text === value)) return false;
  return changes.some(
    ({ kind, path: changed }) => kind !== "extra" && kind !== "order" && (changed.contains(path) || path.contains(changed)),
  );
}

/** Reports whether a manager pushes objects to the target that its own configuration does not show. */
async function isPushedTo(target: ReadTarget, { pushed }: KindNames): Promise<boolean> {
  return pushed?.isPushed(await target.read([pushed.path], "candidate", () => undefined)) === true;
}

function leftToManager({ reference: { path, value, kinds }, origin }: UnknownName): Finding {
  const message = `There is no ${anyOf(kinds)} "${value}", neither in the documents nor on the target. Its manager must push it.`;
  return { kind: "name-missing", path, message, origin, refuses: false };
}
