import { isDeepStrictEqual } from "node:util";
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
  /** Of the subtrees those that documents and the ledger speak of, and what left these and may be at firewalls still. */
  readonly reach?: readonly Path[] | undefined;
  /** The same tree as `candidate` when the platform says that nothing is pending; undefined where there is no candidate. */
  readonly running: TreeNode | undefined;
  /** Empty, too, where the platform cannot list pending changes. */
  readonly pending: readonly PendingChange[];
  /** Subtrees that read as absent, and are not believed to be. */
  readonly doubts: readonly Doubt[];
  /** Nothing was pending before the candidate was read; what is after it has still to be asked. */
  readonly isOpen?: boolean | undefined;
}

/** Times that the candidate is read over again while what is pending keeps changing. */
const READS = 3;

/**
 * Reads `subtrees` once, and a second time as running only where something is pending or that cannot be known.
 * What is pending is listed before the candidate is read and after: an edit made in between is then seen as pending, and one that
 * a restart or a revert took away in between is not taken for what runs. `listed`: what was pending a moment ago, where that was asked.
 * `listsLater`: where that was nothing, whoever asks looks at the list himself before he goes by what was read (`isOpen`).
 */
export async function readLive(
  target: ReadTarget,
  capabilities: Capabilities,
  subtrees: readonly Path[],
  listed?: readonly PendingChange[],
  listsLater = false,
): Promise<Live> {
  const { candidate, changeList } = capabilities;
  const isOpen = listsLater && candidate && changeList && listed?.length === 0;
  return await during("read", () => (isOpen ? readOpen(target, subtrees) : readCandidate(target, capabilities, subtrees, listed)));
}

async function readOpen(target: ReadTarget, subtrees: readonly Path[]): Promise<Live> {
  const doubts = new Map<string, Doubt>();
  const candidate = await readWithPlaces(target, subtrees, "candidate", doubts);
  return { subtrees, candidate, running: candidate, pending: [], doubts: [...doubts.values()], isOpen: true };
}

async function readCandidate(
  target: ReadTarget,
  capabilities: Capabilities,
  subtrees: readonly Path[],
  listed: readonly PendingChange[] | undefined,
): Promise<Live> {
  const { candidate, pending, doubts, same } = await readBetweenLists(target, capabilities, subtrees, listed);
  if (!capabilities.candidate) return { subtrees, candidate, running: undefined, pending, doubts: [...doubts.values()] };
  const running = same ? candidate : await readWithPlaces(target, subtrees, "running", doubts);
  return { subtrees, candidate, running, pending, doubts: [...doubts.values()] };
}

/**
 * What a commit left: reads `subtrees` as running, and asks in the same step what is pending. Where nothing is, running answers for the
 * candidate too, and no edit that comes or goes meanwhile can be taken for what runs. Else both are read, as by `readLive`.
 */
export async function readCommitted(target: ReadTarget, capabilities: Capabilities, subtrees: readonly Path[]): Promise<Live> {
  const { candidate, changeList, runningUnreadable } = capabilities;
  if (!candidate || !changeList || runningUnreadable === true) return await readLive(target, capabilities, subtrees);
  const doubts = new Map<string, Doubt>();
  const [running, pending] = await during("read", () =>
    Promise.all([readWithPlaces(target, subtrees, "running", doubts), pendingOn(target)]),
  );
  if (pending.length > 0) return await readLive(target, capabilities, subtrees, pending);
  return { subtrees, candidate: running, running, pending, doubts: [...doubts.values()] };
}

/** Reads `subtrees` as running alone, in the place of the candidate too: what drift compares with. */
export async function readRunning(
  target: ReadTarget,
  capabilities: Capabilities,
  subtrees: readonly Path[],
  known?: readonly PendingChange[],
): Promise<Live> {
  return await during("read", () => readRunningAlone(target, capabilities, subtrees, known));
}

async function readRunningAlone(
  target: ReadTarget,
  capabilities: Capabilities,
  subtrees: readonly Path[],
  known: readonly PendingChange[] | undefined,
): Promise<Live> {
  const listed = known ?? (await pendingOf(target, capabilities));
  const seen = answersForRunning(capabilities, listed) ? await readBetweenLists(target, capabilities, subtrees, listed) : undefined;
  const doubts = seen?.same === true ? seen.doubts : new Map<string, Doubt>();
  const running = seen?.same === true ? seen.candidate : await readWithPlaces(target, subtrees, "running", doubts);
  const pending = seen?.pending ?? listed;
  return { subtrees, candidate: running, running: capabilities.candidate ? running : undefined, pending, doubts: [...doubts.values()] };
}

interface Viewed {
  readonly candidate: TreeNode;
  readonly pending: readonly PendingChange[];
  readonly doubts: Map<string, Doubt>;
  /** Candidate and running are known to be equal, and the candidate carries more marks of who changed what; or it answers for both. */
  readonly same: boolean;
}

/** The candidate, read again where what is pending was not the same before and after. */
async function readBetweenLists(
  target: ReadTarget,
  capabilities: Capabilities,
  subtrees: readonly Path[],
  listed?: readonly PendingChange[],
): Promise<Viewed> {
  let before = listed ?? (await pendingOf(target, capabilities));
  for (let reads = 1; ; reads++) {
    const doubts = new Map<string, Doubt>();
    const candidate = await readWithPlaces(target, subtrees, "candidate", doubts);
    const pending = await pendingOf(target, capabilities);
    const isOneView = isDeepStrictEqual(before, pending) || capabilities.runningUnreadable === true;
    if (isOneView || reads === READS) return { candidate, pending, doubts, same: isOneView && answersForRunning(capabilities, pending) };
    before = pending;
  }
}

async function pendingOf(target: ReadTarget, { candidate, changeList }: Capabilities): Promise<readonly PendingChange[]> {
  return candidate && changeList ? await pendingOn(target) : [];
}

/** Whether the candidate does, by what is pending. */
function answersForRunning({ candidate, changeList, runningUnreadable }: Capabilities, pending: readonly PendingChange[]): boolean {
  return !candidate || runningUnreadable === true || (changeList && pending.length === 0);
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
