import type { Path } from "../core/tree/path.js";
import { parsePath } from "../core/tree/xpath/xpath.js";
import type { PlanInput } from "./model.js";
import type { PendingChange } from "./platform.js";

/** Returns the path of an uncommitted change. Undefined if the platform does not report a single node: then the change can be anywhere. */
export function pendingPath({ xpath }: Pick<PendingChange, "xpath">): Path | undefined {
  try {
    return parsePath(xpath);
  } catch {
    return undefined;
  }
}

/** Returns pending changes of other accounts; all of them if the own account is unknown. */
export function othersPending({ pending, administrator }: Pick<PlanInput, "pending" | "administrator">): PendingChange[] {
  return pending.filter((change) => change.owner !== administrator);
}
