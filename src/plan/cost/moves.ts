import { arrangeBlocks, declaredBlocks } from "../blocks.js";
import { minimalMoves } from "../moves.js";
import type { Difference } from "./difference.js";

/** Returns the number of moves that an ordered list needs after new entries are appended and extra ones are deleted. */
export function movesNeeded(list: Difference): number {
  const { desired, live, shape } = list;
  if (!shape.ordered || shape.kind !== "list" || desired === undefined || live === undefined) return 0;
  const gone = new Set<string>();
  const created: string[] = [];
  const newNames = new Map<string, string>();
  for (const { deed, path, renamed } of list.children) {
    if (path.name === undefined) continue;
    if (deed.kind === "delete") gone.add(path.name);
    if (deed.kind === "make") created.push(path.name);
    if (renamed !== undefined) newNames.set(renamed.from, path.name);
  }
  if (list.order === undefined && created.length === 0) return 0;
  const staying: string[] = [];
  for (const { name } of live.children) if (name !== undefined && !gone.has(name)) staying.push(newNames.get(name) ?? name);
  const names = new Set([...staying, ...created]);
  const blocks = declaredBlocks(desired, names);
  const arranged = arrangeBlocks(staying, blocks);
  if (!("order" in arranged)) return 0;
  const ours = new Set(blocks.flatMap(({ declared }) => declared));
  return minimalMoves([...staying, ...created], arranged.order, new Set(staying.filter((name) => !ours.has(name)))).length;
}
