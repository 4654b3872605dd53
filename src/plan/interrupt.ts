import { find, shapeAt } from "../core/tree/lookup.js";
import type { Path } from "../core/tree/path.js";
import type { Shape } from "../core/tree/shape.js";
import type { DesiredNode } from "../desired/model.js";
import type { Change, Finding } from "./diff/change.js";

/** A change in place for which its object goes down (`Shape.interrupts`). */
export interface Interruption {
  /** The object. */
  readonly entry: Path;
  /** `"flavor" of "web" is changed by resize` */
  readonly words: string;
  readonly origin: number;
  /** The document says `$down: true` of it. */
  readonly isAllowed: boolean;
}

export function interruptionsOf(changes: readonly Change[], desired: DesiredNode, root: Shape): Interruption[] {
  return changes.flatMap((change) => {
    const words = changedBy(change, root) ?? lostBy(change, root);
    const entry = entryAround(change.path);
    if (words === undefined || entry === undefined) return [];
    const wanted = find(desired, entry) as DesiredNode | undefined;
    const origin = "after" in change && change.kind === "differs" ? change.after.origin : (wanted?.origin ?? -1);
    return [{ entry, words: words(entry.name ?? ""), origin, isAllowed: wanted?.handling?.down === true }];
  });
}

type Words = (entry: string) => string;

function changedBy(change: Change, root: Shape): Words | undefined {
  const how = change.kind === "differs" ? shapeAt(change.path, root).interrupts : undefined;
  return how === undefined ? undefined : (entry) => `"${change.path.tag}" of "${entry}" is changed by ${how}`;
}

/** What goes from a list of which nothing goes without its object noticing (`Shape.losing`). */
function lostBy(change: Change, root: Shape): Words | undefined {
  if (change.kind !== "differs" && change.kind !== "extra") return undefined;
  const { path } = change;
  const list = path.text === undefined ? path : (path.parent ?? path);
  const how = shapeAt(list, root).losing;
  if (how === undefined) return undefined;
  const kept = new Set(change.kind === "differs" ? change.after.children.map(({ text }) => text) : []);
  const before = path.text === undefined ? change.before.children.map(({ text }) => text) : [path.text];
  const lost = before.filter((text) => !kept.has(text)).map((text) => `"${text}"`);
  return lost.length === 0
    ? undefined
    : (entry) => `${lost.join(", ")} in ${list.tag} of "${entry}" ${lost.length === 1 ? "goes" : "go"} by ${how}`;
}

function entryAround(path: Path): Path | undefined {
  for (let at = path.parent; at !== undefined; at = at.parent) if (at.name !== undefined) return at;
  return undefined;
}

/** Told of each, allowed or not. */
export function downFindings(interruptions: readonly Interruption[]): Finding[] {
  return interruptions.map(({ entry, words, origin }) => ({
    kind: "down",
    path: entry,
    message: `${words}: it stays what it is, and is down meanwhile.`,
    origin,
    refuses: false,
  }));
}
