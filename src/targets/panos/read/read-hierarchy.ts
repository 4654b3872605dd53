import type { TreeNode } from "../../../core/tree/node.js";
import type { View } from "../../../plan/platform.js";
import type { PanosClient } from "../client/client.js";
import { showDeviceGroups } from "../client/commands.js";
import { descend } from "../client/reply.js";
import { HIERARCHY, hierarchyNode } from "../device-groups.js";
import { readSubtree } from "./read-subtree.js";

/**
 * Reads the hierarchy of device groups as a node at `HIERARCHY`. It uses the command, whose answer is small; otherwise the configuration,
 * which contains much more. Undefined if both are unknown: then every group is directly below `shared`.
 */
export async function readHierarchy(client: PanosClient, view: View): Promise<TreeNode | undefined> {
  const reply = await client.attempt(showDeviceGroups);
  if (reply.outcome === "done") {
    const nested = descend(reply.result, "dg-hierarchy");
    return nested === undefined ? undefined : hierarchyNode(nested);
  }
  const kept = await readSubtree(client, HIERARCHY, view);
  if (kept === undefined && reply.outcome !== "unsupported") throw client.refusal(reply);
  return kept;
}
