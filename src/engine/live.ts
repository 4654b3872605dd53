import { isDeepStrictEqual } from "node:util";
import { during } from "../core/observe.js";
import { find, pathOf } from "../core/tree/lookup.js";
import type { TreeNode } from "../core/tree/node.js";
import { Path } from "../core/tree/path.js";
import type { DesiredNode, DesiredTarget } from "../desired/model.js";
import type { Doubt } from "../plan/model.js";
import type { Capabilities, PendingChange, View } from "../plan/platform.js";
import { pendingOn } from "./pending-and-locks.js";
import type { OnDoubt, ReadTarget } from "./target.js";

/** Configuration of a target as one pass read it. */
export interface Live {
  readonly subtrees: readonly Path[];
  readonly candidate: TreeNode;
  /** Subtrees of documents and ledger, and removed paths that firewalls may still have. */
  readonly reach?: readonly Path[] | undefined;
  /** The same tree as `candidate` if the platform reports no pending change. Undefined if the platform has no candidate. */
  readonly running: TreeNode | undefined;
  /** Also empty if the platform cannot list pending changes. */
  readonly pending: readonly PendingChange[];
  /** Subtrees that read as absent although other data contradicts that. */
  readonly doubts: readonly Doubt[];
}

/** Maximum number of reads of the candidate while the list of pending changes keeps changing. */
const READS = 3;

/**
 * Reads `subtrees` as candidate, and as running only if a change is pending or the platform cannot list changes. Lists pending changes
 * before and after the candidate is read. An edit in between then counts as pending, and an edit that a restart or a revert removed in
 * between does not count as running.
 *
 * @param listed Pending changes, if they were just read.
 */
export async function readLive(
  target: ReadTarget,
  capabilities: Capabilities,
  subtrees: readonly Path[],
  listed?: readonly PendingChange[],
): Promise<Live> {
  return await during("read", () => readCandidate(target, capabilities, subtrees, listed));
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
 * Reads `subtrees` after a commit: as running, together with the pending changes. Without pending changes, running also serves as the
 * candidate, so a concurrent edit cannot be mistaken for running configuration. Otherwise both are read, as in `readLive`.
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

/** Reads `subtrees` as running, and uses them as the candidate too. Drift compares with the result. */
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
  /** The candidate equals running. It is preferred, because it names the authors of changes. */
  readonly same: boolean;
}

/** Reads the candidate. Repeats the read if the pending changes before and after it differ. */
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

/** Reports whether the candidate equals running, given the pending changes. */
function answersForRunning({ candidate, changeList, runningUnreadable }: Capabilities, pending: readonly PendingChange[]): boolean {
  return !candidate || runningUnreadable === true || (changeList && pending.length === 0);
}

/**
 * Reads subtrees, and the parents of absent ones. An absent subtree does not show whether its parent exists. The parent is then
 * nearly empty or absent too, so the read is small.
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
 * Returns the subtrees that a plan needs: the topmost declared nodes or their lists, and the lists of other ledger rows. No subtree is
 * inside another. Their number does not depend on the number of entries.
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

function addDeclared(node: DesiredNode, path: Path, add: (path: Path) => void): void {
  for (const child of node.children) {
    const at = pathOf(path, child);
    if (!child.declared) addDeclared(child, at, add);
    else add(containerOf(at));
  }
}

/** Returns the list of an entry or member, or the path itself for other nodes. */
export function containerOf(path: Path): Path {
  return path.name === undefined && path.text === undefined ? path : (path.parent ?? path);
}

function isCovered(path: Path, subtrees: ReadonlyMap<string, unknown>): boolean {
  for (let at: Path | undefined = path; at !== undefined; at = at.parent) if (subtrees.has(at.toString())) return true;
  return false;
}
