import type { Path } from "../core/tree/path.js";
import { parsePath } from "../core/tree/xpath.js";
import type { PendingChange } from "./platform.js";

/** Where an uncommitted change is; undefined where the platform names no single node: then it can be anywhere. */
export function pendingPath({ xpath }: Pick<PendingChange, "xpath">): Path | undefined {
  try {
    return parsePath(xpath);
  } catch {
    return undefined;
  }
}
