import type { Refusal } from "../plan/model.js";
import type { RunFacts } from "./context.js";

/** Name of the guard of a device that the ledger does not belong to. */
export const OTHER_DEVICE = "other-device";

/** Refuses every use of a ledger that belongs to another device. */
export function refuseOtherDevice({ target, otherDevice }: RunFacts): Refusal[] {
  if (otherDevice === undefined) return [];
  const next = `The run was stopped before the first write. If the device was replaced, run \`plumbline adopt ${target}\`.`;
  return [{ guard: OTHER_DEVICE, message: `${otherDevice} ${next}`, path: undefined, allow: undefined }];
}
