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
    const { path } = change;
    const how = change.kind === "differs" ? shapeAt(path, root).interrupts : undefined;
    if (how === undefined || change.kind !== "differs" || path.parent?.name === undefined) return [];
    const words = `"${path.tag}" of "${path.parent.name}" is changed by ${how}`;
    const isAllowed = (find(desired, path.parent) as DesiredNode | undefined)?.handling?.down === true;
    return [{ entry: path.parent, words, origin: change.after.origin, isAllowed }];
  });
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
