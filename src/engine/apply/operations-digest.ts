import { createHash } from "node:crypto";
import type { TreeNode } from "../../core/tree/node.js";
import type { Plan } from "../../plan/model.js";

/** Returns the SHA-256 (hex) of the operations only: the same changes on the same device give the same digest. Secrets enter by label. */
export function operationsDigest(plan: Plan): string {
  const hash = createHash("sha256");
  for (const { operation } of plan.operations) {
    const { action, at } = operation;
    hash.update(JSON.stringify([action, at.toString()]));
    if (action === "set" || action === "edit") hash.update(elementText(operation.element));
    if (action === "move") hash.update(JSON.stringify([operation.where, "anchor" in operation ? operation.anchor : null]));
    if (action === "rename") hash.update(JSON.stringify(operation.newName));
  }
  return hash.digest("hex");
}

function elementText(node: TreeNode): string {
  return `[${JSON.stringify([node.tag, node.name ?? null, node.text])},${node.children.map(elementText).join(",")}]`;
}
