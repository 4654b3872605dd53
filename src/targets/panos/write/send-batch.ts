import { PlumblineError } from "../../../core/errors.js";
import type { Operation } from "../../../core/operation.js";
import type { TreeNode } from "../../../core/tree/node.js";
import type { PanosClient } from "../client/client.js";
import { hideSent } from "../client/hide-secrets.js";
import { type DeviceReply, readReply, saysAbsent, saysUnknownCommand, succeeded } from "../client/reply.js";
import { deviceError } from "../device-errors.js";
import { batchRequest, singleRequest, type WireOperation, wireOperation } from "./encode-operation.js";

/**
 * Sends operations as one transaction. False when the device does not know `multi-config` after all, in which case
 * nothing was done. Throws the error of the operation that failed, with its XPath; nothing was done then either.
 */
export async function sendAtomic(client: PanosClient, batch: readonly Operation[], strict: boolean): Promise<boolean> {
  const operations = batch.map(wireOperation);
  const secrets = operations.flatMap((operation) => operation.secrets);
  const reply = await client.send(batchRequest(operations, strict));
  const inner = innerReplies(reply);
  if (succeeded(reply) && inner.every((each, index) => succeeded(each) || isGoneAlready(each, batch[index]))) return true;
  if (inner.length === 0 && saysUnknownCommand(reply) && aboutMultiConfig(reply)) return false;
  const failed = inner.findIndex((each) => !succeeded(each));
  const said = inner[failed] ?? reply;
  throw deviceError(hideSent(said, secrets), client.place, failedOperation(said, failed, operations)?.xpath);
}

/** Deleting what is gone already is done: the batch went on, and the device says so in this reply. */
function isGoneAlready(reply: DeviceReply, operation: Operation | undefined): boolean {
  return operation?.action === "delete" && reply.status === "success" && saysAbsent(reply);
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

/** By the number that it carries, else by its place among the replies. */
function failedOperation(reply: DeviceReply, index: number, operations: readonly WireOperation[]): WireOperation | undefined {
  const id = reply.root.attributes?.get("id");
  return operations[id !== undefined && /^\d+$/.test(id) ? Number(id) - 1 : index];
}

function aboutMultiConfig(reply: DeviceReply): boolean {
  return reply.lines.some((line) => /multi-config|not an allowed keyword|illegal value|disabled/i.test(line));
}

/**
 * Sends operations one by one, the only way that the specification knows. Deleting what is gone already is done. An
 * error says how many operations stand before it.
 */
export async function sendSingly(client: PanosClient, batch: readonly Operation[]): Promise<void> {
  for (const [index, operation] of batch.entries()) {
    const wire = wireOperation(operation);
    const reply = hideSent(await client.send(singleRequest(wire)), wire.secrets);
    if (succeeded(reply) || (operation.action === "delete" && saysAbsent(reply))) continue;
    const error = deviceError(reply, client.place, wire.xpath);
    throw index === 0 ? error : afterOthers(error, index, batch.length);
  }
}

function afterOthers(error: PlumblineError, done: number, total: number): PlumblineError {
  const { code, where, next, severity } = error;
  return new PlumblineError(code, `${error.message}; ${done} of ${total} operations were done before it`, { where, next, severity });
}
