import { find } from "../core/tree/lookup.js";
import type { Path } from "../core/tree/path.js";
import type { DesiredNode } from "../desired/model.js";
import type { Change, Diff } from "./diff/change.js";
import { leaveOut } from "./diff/ignores.js";
import type { PlanInput, Refusal } from "./model.js";
import { Catalog, type Definition, Scopes } from "./namespace.js";
import { survey } from "./reference-index.js";

/** Input of a plan, without unread subtrees and changes that would refer to them. */
export interface ReadInput {
  readonly desired: DesiredNode;
  readonly difference: Diff;
  /** Paths without planned changes: the refused subtrees, and changes elsewhere that wait for objects in them. */
  readonly leftOut: readonly Path[];
}

/** Omits the subtrees of `refusals` from desired state, and then repeatedly the changes that refer to their objects. */
export function withoutUnread(
  input: PlanInput,
  root: DesiredNode,
  refusals: readonly Refusal[],
  compare: (desired: DesiredNode) => Diff,
): ReadInput {
  const leftOut = refusals.flatMap(({ path }) => (path === undefined ? [] : [path]));
  for (;;) {
    const desired = leaveOut(root, leftOut);
    const difference = compare(desired);
    const waiting = leftOut.length === 0 ? [] : changesThatWait(input, root, difference.changes, leftOut);
    if (waiting.length === 0) return { desired, difference, leftOut };
    leftOut.push(...waiting);
  }
}

/** Returns changes that refer to an omitted object that does not exist. */
function changesThatWait(
  { candidate, shape, kindGuards }: PlanInput,
  desired: DesiredNode,
  changes: readonly Change[],
  leftOut: readonly Path[],
) {
  const scopes = new Scopes(kindGuards.scopeParents?.(candidate));
  const isAbsent = ({ path }: Definition) => leftOut.some((root) => root.contains(path)) && find(candidate, path) === undefined;
  const names = new Set<string>();
  for (const root of leftOut) namesBelow(find(desired, root), names);
  const { definitions, references } = survey(desired, shape, scopes, names);
  const catalog = new Catalog();
  for (const definition of definitions) catalog.add(definition);
  const waiting = new Map<string, Path>();
  for (const reference of references) {
    const definition = catalog.resolve(reference);
    if (definition === undefined || !isAbsent(definition)) continue;
    const change = changes.find(({ kind, path }) => kind !== "extra" && path.contains(reference.path));
    if (change !== undefined) waiting.set(change.path.toString(), change.path);
  }
  return [...waiting.values()];
}

function namesBelow(node: DesiredNode | undefined, names: Set<string>): void {
  if (node === undefined) return;
  if (node.name !== undefined) names.add(node.name);
  for (const child of node.children) namesBelow(child, names);
}
