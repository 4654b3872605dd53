import { PlumblineError } from "../../../core/errors.js";
import type { Operation } from "../../../core/operation.js";
import type { TreeNode } from "../../../core/tree/node.js";
import type { PanosClient } from "../client/client.js";
import { batchRequest, singleRequest, type WireOperation, wireOperation } from "../client/encode-operation.js";
import { hideSent } from "../client/hide-secrets.js";
import { type DeviceReply, readReply } from "../client/reply.js";

/**
 * Sends operations as one transaction. Returns false if the device does not know `multi-config`; then it changed nothing. If an operation
 * fails, throws its error with its XPath; in that case, too, nothing is changed.
 */
export async function sendAtomic(client: PanosClient, batch: readonly Operation[], strict: boolean): Promise<boolean> {
  const operations = batch.map(wireOperation);
  const secrets = operations.flatMap((operation) => operation.secrets);
  const reply = await client.attempt(batchRequest(operations, strict));
  const inner = innerReplies(reply);
  if (reply.outcome === "done" && inner.every((each, index) => each.outcome === "done" || isAlreadyDeleted(each, batch[index])))
    return true;
  if (inner.length === 0 && reply.outcome === "unsupported" && aboutMultiConfig(reply)) return false;
  const failed = inner.findIndex((each) => each.outcome !== "done");
  const refusal = inner[failed] ?? reply;
  throw client.refusal(hideSent(refusal, secrets), failedOperation(refusal, failed, operations)?.xpath);
}

/** Deleting an absent node counts as success: the device continues the batch and reports this. */
function isAlreadyDeleted(reply: DeviceReply, operation: Operation | undefined): boolean {
  return operation?.action === "delete" && reply.status === "success" && reply.outcome === "absent";
}

function innerReplies(reply: DeviceReply): readonly DeviceReply[] {
  const found: DeviceReply[] = [];
  const walk = (node: TreeNode): void => {
    for (const child of node.children) {
      const inner = readReply(child, reply.httpStatus);
      if (inner === undefined) walk(child);
      else found.push(inner);
    }
  };
  walk(reply.root);
  return found;
}

/** Finds the operation by the `id` of the reply, or by the position of the reply. */
function failedOperation(reply: DeviceReply, index: number, operations: readonly WireOperation[]): WireOperation | undefined {
  const id = reply.root.attributes?.get("id");
  return operations[id !== undefined && /^\d+$/.test(id) ? Number(id) - 1 : index];
}

function aboutMultiConfig(reply: DeviceReply): boolean {
  return reply.lines.some((line) => /multi-config|not an allowed keyword|illegal value|disabled/i.test(line));
}

/**
 * Sends operations one by one, the only method in the specification. Deleting an absent node counts as success. Errors contain the number
 * of operations that succeeded before.
 */
export async function sendSingly(client: PanosClient, batch: readonly Operation[]): Promise<void> {
  for (const [index, operation] of batch.entries()) {
    const wire = wireOperation(operation);
    const reply = hideSent(await client.attempt(singleRequest(wire)), wire.secrets);
    if (reply.outcome === "done" || (operation.action === "delete" && reply.outcome === "absent")) continue;
    const error = client.refusal(reply, wire.xpath);
    throw index === 0 ? error : afterOthers(error, index, batch.length);
  }
}

function afterOthers(error: PlumblineError, done: number, total: number): PlumblineError {
  const { code, where, next, severity } = error;
  return new PlumblineError(code, `${error.message}; ${done} of ${total} operations were done before it`, { where, next, severity });
}
