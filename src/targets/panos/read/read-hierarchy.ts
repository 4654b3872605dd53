import type { TreeNode } from "../../../core/tree/node.js";
import type { View } from "../../../engine/target.js";
import type { PanosClient } from "../client/client.js";
import { descend, saysUnknownCommand, succeeded } from "../client/reply.js";
import { op } from "../client/request.js";
import { showDeviceGroups } from "../commands.js";
import { requireSuccess } from "../device-errors.js";
import { HIERARCHY, hierarchyNode } from "../device-groups.js";
import { readSubtree } from "./read-subtree.js";

/**
 * Which device group stands below which, as a node at `HIERARCHY`: by the command, whose answer is small, else from the
 * configuration, which keeps much more there. Undefined where neither is known: then every group stands below `shared`.
 */
export async function readHierarchy(client: PanosClient, view: View): Promise<TreeNode | undefined> {
  const reply = await client.send(op(showDeviceGroups));
  if (succeeded(reply)) {
    const nested = descend(reply.result, "dg-hierarchy");
    return nested === undefined ? undefined : hierarchyNode(nested);
  }
  const kept = await readSubtree(client, HIERARCHY, view);
  if (kept === undefined && !saysUnknownCommand(reply)) requireSuccess(reply, client.place);
  return kept;
}
