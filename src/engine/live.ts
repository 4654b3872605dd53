import { during } from "../core/observe.js";
import { find, pathOf } from "../core/tree/lookup.js";
import type { TreeNode } from "../core/tree/node.js";
import { Path } from "../core/tree/path.js";
import type { Shape } from "../core/tree/shape.js";
import type { DesiredNode, DesiredTarget } from "../desired/model.js";
import type { Doubt } from "../plan/model.js";
import type { Capabilities, PendingChange } from "../plan/platform.js";
import type { OnDoubt, ReadTarget, View } from "./target.js";
import { pendingOn } from "./under-way.js";

/** What one pass read of a target. */
export interface Live {
  readonly subtrees: readonly Path[];
  readonly candidate: TreeNode;
  /** The same tree as `candidate` when the platform says that nothing is pending; undefined where there is no candidate. */
  readonly running: TreeNode | undefined;
  /** Empty, too, where the platform cannot list pending changes. */
  readonly pending: readonly PendingChange[];
  /** Subtrees that read as absent, and are not believed to be. */
  readonly doubts: readonly Doubt[];
}

/**
 * Reads `subtrees` once, and a second time as running only where something is pending or that cannot be known.
 * Pending changes are listed after the candidate was read: an edit made in between is then seen as pending.
 */
export async function readLive(target: ReadTarget, capabilities: Capabilities, subtrees: readonly Path[]): Promise<Live> {
  return await during("read", () => readCandidate(target, capabilities, subtrees));
}

async function readCandidate(target: ReadTarget, capabilities: Capabilities, subtrees: readonly Path[]): Promise<Live> {
  const doubts = new Map<string, Doubt>();
  const candidate = await readWithPlaces(target, subtrees, "candidate", doubts);
  if (!capabilities.candidate) return { subtrees, candidate, running: undefined, pending: [], doubts: [...doubts.values()] };
  const { pending, same } = await pendingOf(target, capabilities);
  const running = same ? candidate : await readWithPlaces(target, subtrees, "running", doubts);
  return { subtrees, candidate, running, pending, doubts: [...doubts.values()] };
}

/** Reads `subtrees` as running alone, in the place of the candidate too: what drift compares with. */
export async function readRunning(target: ReadTarget, capabilities: Capabilities, subtrees: readonly Path[]): Promise<Live> {
  return await during("read", () => readRunningAlone(target, capabilities, subtrees));
}

async function readRunningAlone(target: ReadTarget, capabilities: Capabilities, subtrees: readonly Path[]): Promise<Live> {
  const { pending, same } = await pendingOf(target, capabilities);
  const doubts = new Map<string, Doubt>();
  const running = await readWithPlaces(target, subtrees, same ? "candidate" : "running", doubts);
  return { subtrees, candidate: running, running: capabilities.candidate ? running : undefined, pending, doubts: [...doubts.values()] };
}

/**
 * A subtree that is not there says nothing of the place that it would stand in. Where that was not seen otherwise, the
 * place itself is read: it is nearly empty then, or not there.
 */
async function readWithPlaces(target: ReadTarget, subtrees: readonly Path[], view: View, doubts: Map<string, Doubt>): Promise<TreeNode> {
  const onDoubt: OnDoubt = (path, why) => doubts.set(path.toString(), { path, why });
  const tree = await target.read(subtrees, view, onDoubt);
  const places = new Map<string, Path>();
  for (const { parent } of subtrees) {
    if (parent !== undefined && !isCovered(parent, doubts) && find(tree, parent) === undefined) places.set(parent.toString(), parent);
  }
  if (places.size === 0) return tree;
  const others = subtrees.filter((path) => !isCovered(path, places));
  return await target.read([...others, ...places.values()], view, onDoubt);
}

/** `same`: candidate and running are known to be equal, and the candidate carries more marks of who changed what; or it answers for both. */
async function pendingOf(
  target: ReadTarget,
  { candidate, changeList, runningUnreadable }: Capabilities,
): Promise<{ pending: readonly PendingChange[]; same: boolean }> {
  if (!candidate) return { pending: [], same: true };
  const pending = changeList ? await pendingOn(target) : [];
  return { pending, same: runningUnreadable === true || (changeList && pending.length === 0) };
}

/**
 * The subtrees that a plan needs: the topmost nodes that documents declare, or the list that holds them, and the lists
 * of rows that the ledger has elsewhere; none below another. Their number does not depend on the number of entries.
 */
export function subtreesOf(desired: DesiredTarget, ledgerRows: Iterable<Path>, only: Path | undefined): Path[] {
  const found = new Map<string, Path>();
  const add = (path: Path) => {
    if (only === undefined || only.contains(path) || path.contains(only)) found.set(path.toString(), path);
  };
  addDeclared(desired.root, Path.root.child(desired.root.tag), add);
  for (const row of ledgerRows) if (!isCovered(row, found)) add(containerOf(row));
  return [...found.values()].filter((path) => path.parent === undefined || !isCovered(path.parent, found));
}

/**
 * Every part of the tree in which something could refer to a name: all that the platform's shape knows below the root.
 * Containers that only the platform writes name nothing of anybody, and can be larger than all the rest.
 */
export function searchRoots(shape: Shape, rootTag: string): Path[] {
  const root = Path.root.child(rootTag);
  const isOthers = (tag: string) => shape.child(tag).kind === "container" && shape.child(tag).readOnly === true;
  return shape.knownTags.filter((tag) => !isOthers(tag)).map((tag) => root.child(tag));
}

function addDeclared(node: DesiredNode, path: Path, add: (path: Path) => void): void {
  for (const child of node.children) {
    const at = pathOf(path, child);
    if (!child.declared) addDeclared(child, at, add);
    else add(containerOf(at));
  }
}

/** The list around an entry or member; any other node itself. */
export function containerOf(path: Path): Path {
  return path.name === undefined && path.text === undefined ? path : (path.parent ?? path);
}

function isCovered(path: Path, subtrees: ReadonlyMap<string, unknown>): boolean {
  for (let at: Path | undefined = path; at !== undefined; at = at.parent) if (subtrees.has(at.toString())) return true;
  return false;
}
