import type { Operation } from "../core/operation.js";
import { TreeNode } from "../core/tree/node.js";
import { secretOf } from "../core/tree/secret-of.js";
import type { PlannedOperation } from "./model.js";

export interface PackLimits {
  readonly atomicBatch: boolean;
  readonly maxRequestBytes: number;
  readonly maxBatchOperations: number;
  readonly maxPendingChanges: number | undefined;
  /** Returns the object that an operation writes, if consecutive operations on one object share a request. */
  readonly objectOf?: ((operation: Operation) => string | undefined) | undefined;
}

export interface Packed {
  readonly batches: readonly (readonly PlannedOperation[])[];
  /** Indexes of batches after which to commit. */
  readonly commitAfter: readonly number[];
}

/** Size of a request without operations: key, action, the element around a batch. */
const REQUEST_BYTES = 512;
/** Size of an operation without path and element. */
const OPERATION_BYTES = 64;
/** Assumed size of a stored or referenced secret: its real length must not show. */
const SECRET_BYTES = 1024;
/** Characters that form encoding keeps, and the space, which also becomes one byte. */
const PLAIN = new Uint8Array(128);
for (const character of "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789*._ -") PLAIN[character.charCodeAt(0)] = 1;

/**
 * Packs operations into requests in order: as few as the limits allow without reordering. Sizes are form-encoded bytes on the wire, never
 * underestimated for known values. Each operation must fit (`splitOversize`).
 */
export function pack(operations: readonly PlannedOperation[], limits: PackLimits): Packed {
  const batches: PlannedOperation[][] = [];
  let bytes = Number.POSITIVE_INFINITY;
  const most = Math.max(
    1,
    Math.min(limits.atomicBatch ? limits.maxBatchOperations : 1, limits.maxPendingChanges ?? Number.POSITIVE_INFINITY),
  );
  for (const planned of operations) {
    const size = operationBytes(planned.operation);
    const batch = batches.at(-1);
    const isFull = batch !== undefined && batch.length >= most && !isOfObject(planned, batch, limits);
    if (batch === undefined || isFull || bytes + size > limits.maxRequestBytes) {
      batches.push([planned]);
      bytes = REQUEST_BYTES + size;
    } else {
      batch.push(planned);
      bytes += size;
    }
  }
  return { batches, commitAfter: commitsAfter(batches, limits.maxPendingChanges) };
}

function isOfObject({ operation }: PlannedOperation, batch: readonly PlannedOperation[], { objectOf }: PackLimits): boolean {
  const last = batch.at(-1)?.operation;
  const object = objectOf?.(operation);
  return object !== undefined && last !== undefined && objectOf?.(last) === object;
}

/** Returns the last batch, and each earlier one after which the platform would have too many uncommitted operations. */
function commitsAfter(batches: readonly (readonly PlannedOperation[])[], ceiling: number | undefined): number[] {
  const ends: number[] = [];
  let pending = 0;
  for (const [index, batch] of batches.entries()) {
    if (ceiling !== undefined && pending > 0 && pending + batch.length > ceiling) {
      ends.push(index - 1);
      pending = 0;
    }
    pending += batch.length;
  }
  if (batches.length > 0) ends.push(batches.length - 1);
  return ends;
}

/** Returns the bytes of a request that are available for operations. */
export function bytesForOperations(limits: PackLimits): number {
  return limits.maxRequestBytes - REQUEST_BYTES;
}

/** Splits each `set` that is larger than a request at its entries or members. */
export function splitOversize(operations: readonly PlannedOperation[], limits: PackLimits): PlannedOperation[] {
  const room = bytesForOperations(limits);
  return operations.flatMap((planned) => {
    const { operation } = planned;
    if (operation.action !== "set" || operationBytes(operation) <= room) return [planned];
    return splitSet(operation, room).map((part) => ({ ...planned, operation: part }));
  });
}

type SetOperation = Operation & { readonly action: "set" };

function splitSet(operation: SetOperation, room: number): SetOperation[] {
  const around = OPERATION_BYTES + encodedLength(operation.at.toString());
  return splitElement(operation.element, room - around).map((element) => ({ ...operation, element }));
}

/** Splits an element into parts of at most `room` bytes, as far as its entries allow. */
function splitElement(element: TreeNode, room: number): TreeNode[] {
  if (elementBytes(element) <= room || element.children.length === 0) return [element];
  const inside = room - elementBytes(new TreeNode(element.tag, element.name, "", [], element.attributes));
  const parts: TreeNode[][] = [];
  let bytes = Number.POSITIVE_INFINITY;
  for (const child of element.children.flatMap((each) => splitElement(each, inside))) {
    const size = elementBytes(child);
    if (bytes + size > inside) {
      parts.push([]);
      bytes = 0;
    }
    parts.at(-1)?.push(child);
    bytes += size;
  }
  return parts.map((children) => new TreeNode(element.tag, element.name, "", children, element.attributes));
}

/** Returns an upper bound for the form-encoded bytes of an operation. */
export function operationBytes(operation: Operation): number {
  const around = OPERATION_BYTES + encodedLength(operation.at.toString());
  if (operation.action === "set" || operation.action === "edit") return around + elementBytes(operation.element);
  if (operation.action === "rename") return around + encodedLength(operation.newName);
  return around + (operation.action === "move" && "anchor" in operation ? encodedLength(operation.anchor) : 0);
}

function elementBytes(root: TreeNode): number {
  let bytes = 0;
  const stack: TreeNode[] = [root];
  for (let node = stack.pop(); node !== undefined; node = stack.pop()) {
    bytes += 2 * encodedLength(node.tag) + 5 * 3;
    if (node.name !== undefined) bytes += attributeBytes("name", node.name);
    for (const [key, value] of node.attributes ?? []) bytes += attributeBytes(key, value);
    bytes += secretOf(node) !== undefined ? SECRET_BYTES : textBytes(node.text);
    stack.push(...node.children);
  }
  return bytes;
}

/** A space, an equals sign and two quotes. Three of them are encoded. */
function attributeBytes(key: string, value: string): number {
  return 1 + 3 * 3 + encodedLength(key) + textBytes(value);
}

const ESCAPED = new Set([..."&<>\"'\r\n\t"].map((character) => character.charCodeAt(0)));
/** An entity has at most six characters, two of which (ampersand, semicolon) are encoded. */
const ENTITY_BYTES = 10;

function textBytes(text: string): number {
  let bytes = 0;
  for (let i = 0; i < text.length; i += 1) {
    const code = text.charCodeAt(i);
    bytes += ESCAPED.has(code) ? ENTITY_BYTES : characterBytes(code);
  }
  return bytes;
}

function encodedLength(text: string): number {
  let bytes = 0;
  for (let i = 0; i < text.length; i += 1) bytes += characterBytes(text.charCodeAt(i));
  return bytes;
}

/** Returns the form-encoded bytes of a UTF-16 code unit. A surrogate pair has four bytes in UTF-8, two for each unit. */
function characterBytes(code: number): number {
  if (code >= 0x80) return code < 0x800 || (code >= 0xd800 && code <= 0xdfff) ? 6 : 9;
  return PLAIN[code] === 1 ? 1 : 3;
}
