import type { PendingChange } from "../target.js";
import type { Path } from "../tree/path.js";
import { parsePath } from "../tree/xpath.js";

/** Where an uncommitted change is; undefined where the platform names no single node: then it can be anywhere. */
export function placeOf({ xpath }: Pick<PendingChange, "xpath">): Path | undefined {
  try {
    return parsePath(xpath);
  } catch {
    return undefined;
  }
}
