import type { TreeNode } from "../../../core/tree/node.js";
import type { Administrator } from "../access/administrators.js";
import type { LabDevice } from "../device.js";
import { type Reply, result } from "../http/reply.js";
import { replay } from "../state/replay.js";
import { isInScope, scopeOf } from "./scope.js";

/** Handles `<revert><config>`: resets the candidate to running. With `<partial>`, pending edits outside its scope are kept. */
export function revert(device: LabDevice, admin: Administrator, partial: TreeNode | undefined): Reply {
  device.locks.refuseWrite(admin.name, undefined);
  revertTo(device, partial);
  return result("<msg><line>Config reverted</line></msg>");
}

/** Reverts every uncommitted edit of one administrator. Strict batches do this before they begin. */
export function revertOwn(device: LabDevice, admin: string): void {
  const kept = device.candidate.pending.filter(({ stamp }) => stamp.admin !== admin);
  if (kept.length === device.candidate.pending.length) return;
  device.candidate.reset(replay(device.running, kept, device.settings), kept);
}

function revertTo(device: LabDevice, partial: TreeNode | undefined): void {
  const { candidate } = device;
  if (partial === undefined) {
    candidate.reset(device.running, []);
    return;
  }
  const scope = scopeOf(partial);
  const kept = candidate.pending.filter((edit) => !isInScope(edit, scope));
  candidate.reset(kept.length === 0 ? device.running : replay(device.running, kept, device.settings), kept);
}
