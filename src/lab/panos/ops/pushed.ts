import { TreeNode } from "../../../core/tree/node.js";
import { invalidVsys } from "../device-messages.js";
import { type Reply, result } from "../http/reply.js";
import { vsysEntries } from "../state/system-facts.js";
import { serialise } from "../tree/serialise.js";
import { type OperationCall, type OperationTable, textAt } from "./operation.js";
import { multiVsys } from "./system.js";

export const PUSHED_OPERATIONS: OperationTable = {
  "show/config/pushed-shared-policy": { needs: "extras", run: (call) => policy(call) },
  "show/config/pushed-template": { needs: "extras", run: (call) => template(call) },
};

/**
 * Returns the policy that the manager pushed to this firewall. With one virtual system, the command without `vsys` returns the policy of
 * vsys1. With several, it returns the manager's shared objects, and `vsys` selects the policy of one virtual system.
 */
function policy({ device, node }: OperationCall): Reply {
  const vsys = textAt(node, "vsys");
  if (vsys !== undefined && !vsysEntries(device.running).some(({ name }) => name === vsys)) throw invalidVsys(vsys);
  const handed = device.attachment?.handed;
  if (vsys === undefined && multiVsys(device) === "on") {
    return result(handed?.shared === undefined ? "No shared policy pushed to device" : serialise(handed.shared, { marks: false }));
  }
  const delivered = handed?.policies.get(vsys ?? "vsys1");
  if (delivered === undefined) return result("No shared policy pushed to device");
  const tree = new TreeNode("policy", undefined, "", [new TreeNode("shared"), ownOf(delivered.tree, multiVsys(device) === "on")]);
  return result(serialise(tree, { marks: false }));
}

/** With several virtual systems, the objects of `shared` are not part of a virtual system's policy: devices list them separately. */
function ownOf(tree: TreeNode, isMulti: boolean): TreeNode {
  if (!isMulti) return tree;
  const children = tree.children.flatMap((list) => {
    if (list.tag.endsWith("rulebase")) return [list];
    const own = list.children.filter(({ attributes }) => attributes?.get("loc") !== "shared");
    return own.length === 0 ? [] : [new TreeNode(list.tag, undefined, "", own)];
  });
  return new TreeNode(tree.tag, undefined, "", children);
}

function template({ device }: OperationCall): Reply {
  const delivered = device.attachment?.handed.template;
  if (delivered === undefined) return result("No template pushed to device");
  const { tree } = delivered;
  return result(
    serialise(new TreeNode("template", undefined, "", [new TreeNode("config", undefined, "", tree.children)]), { marks: false }),
  );
}
