import { childByTag, find, shapeAt } from "../core/tree/lookup.js";
import type { TreeNode } from "../core/tree/node.js";
import type { Path } from "../core/tree/path.js";
import type { Shape } from "../core/tree/shape.js";
import type { DesiredNode } from "../desired/model.js";
import type { Change, Finding } from "./diff/change.js";

/** A change in place that interrupts its object (`Shape.interrupts`). */
export interface Interruption {
  /** The object. */
  readonly entry: Path;
  /** `"flavor" of "web" is changed by resize` */
  readonly words: string;
  /** The part that the object keeps, for messages: `it is unchanged`. */
  readonly keeps: string;
  readonly origin: number;
  /** The document allows it: `$down: true`, `$rebuild: true`. */
  readonly isAllowed: boolean;
  /** `$replace: true` recreates the object instead. */
  readonly isReplaceable: boolean;
}

export function interruptionsOf(changes: readonly Change[], desired: DesiredNode, root: Shape): Interruption[] {
  return changes.flatMap((change) => {
    const entry = entryAround(change.path, root);
    const wanted = entry === undefined ? undefined : (find(desired, entry) as DesiredNode | undefined);
    const isRebuilt = change.kind === "differs" && isRebuild(change, wanted, shapeAt(change.path, root));
    const words = isRebuilt ? changed(change.path, "rebuild") : (changedBy(change, root) ?? lostBy(change, root));
    if (words === undefined || entry === undefined) return [];
    const keeps = isRebuilt ? "it keeps its id, ports and volumes, and loses the content of its root disk" : "it is unchanged";
    const origin = "after" in change && change.kind === "differs" ? change.after.origin : (wanted?.origin ?? -1);
    const isReplaceable = lostBy(change, root) === undefined && change.path.parent?.equals(entry) === true;
    return [
      { entry, words: words(entry.name ?? ""), keeps, origin, isAllowed: isRebuilt || wanted?.handling?.down === true, isReplaceable },
    ];
  });
}

type Words = (entry: string) => string;

function changedBy(change: Change, root: Shape): Words | undefined {
  const how = change.kind === "differs" ? shapeAt(change.path, root).interrupts : undefined;
  return how === undefined ? undefined : changed(change.path, how);
}

function changed(path: Path, how: string): Words {
  return (entry) => `"${path.tag}" of "${entry}" is changed by ${how}`;
}

/**
 * Returns whether a rebuild changes a value that can otherwise only be set at creation (`Shape.rebuilt`), because the document allows that.
 */
export function isRebuild({ kind }: Change, wanted: DesiredNode | undefined, { rebuilt }: Shape): boolean {
  return kind === "differs" && rebuilt === true && wanted?.handling?.rebuild === true;
}

/** Returns the values that a list loses, if a loss interrupts the object (`Shape.losing`). */
function lostBy(change: Change, root: Shape): Words | undefined {
  if (change.kind !== "differs" && change.kind !== "extra") return undefined;
  const { path } = change;
  const isOne = path.text !== undefined || path.name !== undefined;
  const list = isOne ? (path.parent ?? path) : path;
  const { losing: how, key = [] } = shapeAt(list, root);
  if (how === undefined) return undefined;
  const kept = new Set(change.kind === "differs" ? change.after.children.map(({ text }) => text) : []);
  const nameOf = (node: TreeNode) => (path.name === undefined ? node.text : key.map((tag) => childByTag(node, tag)?.text ?? "").join(""));
  const before = (isOne ? [change.before] : change.before.children).map(nameOf);
  const lost = before.filter((text) => !kept.has(text)).map((text) => `"${text}"`);
  return lost.length === 0
    ? undefined
    : (entry) => `${lost.join(", ")} in ${list.tag} of "${entry}" ${lost.length === 1 ? "goes" : "go"} by ${how}`;
}

/** Returns the object around a path. Entries with keys from their content are parts of an object. */
function entryAround(path: Path, root: Shape): Path | undefined {
  for (let at = path.parent; at?.parent !== undefined; at = at.parent)
    if (at.name !== undefined && shapeAt(at.parent, root).key === undefined) return at;
  return undefined;
}

/** Returns a finding for each interruption, allowed or not. */
export function downFindings(interruptions: readonly Interruption[]): Finding[] {
  return interruptions.map(({ entry, words, keeps, origin }) => ({
    kind: "down",
    path: entry,
    message: `${words}: ${keeps}, and is down in the meantime.`,
    origin,
    refuses: false,
  }));
}
