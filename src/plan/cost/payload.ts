import { childEntry } from "../../core/tree/lookup.js";
import { TreeNode } from "../../core/tree/node.js";
import { DesiredNode } from "../../desired/model.js";
import { counterpart } from "../counterpart.js";

/**
 * Returns the content that a write of `desired` sends, without ignored and kept parts and containers of these only. Undefined if no content
 * remains.
 */
export function payloadOf(desired: DesiredNode): TreeNode | undefined {
  const { handling } = desired;
  if (handling?.ignored === true || handling?.keep === true) return undefined;
  let isComplete = true;
  const children: TreeNode[] = [];
  for (const child of desired.children) {
    const payload = payloadOf(child);
    if (payload !== child) isComplete = false;
    if (payload !== undefined) children.push(payload);
  }
  if (children.length === 0 && desired.name === undefined && (!isComplete || handling?.exclude !== undefined)) return undefined;
  return isComplete ? desired : new TreeNode(desired.tag, desired.name, desired.text, children);
}

/** Adds the uuids of live entries to `payload`: an edit without them would create new objects. */
export function withUuids(payload: TreeNode, live: TreeNode): TreeNode {
  const uuid = live.attributes?.get("uuid");
  let isSame = uuid === undefined;
  const children = payload.children.map((child) => {
    const known = child.name !== undefined && child instanceof DesiredNode ? liveEntry(live, child) : counterpart(live, child);
    const made = known === undefined ? child : withUuids(child, known);
    if (made !== child) isSame = false;
    return made;
  });
  if (isSame) return payload;
  return new TreeNode(
    payload.tag,
    payload.name,
    payload.text,
    children,
    uuid === undefined ? payload.attributes : new Map([["uuid", uuid]]),
  );
}

/** Returns whether a node can be recreated completely: it contains no kept or ignored part. */
export function canRecreate(desired: DesiredNode): boolean {
  const { handling } = desired;
  if (handling?.ignored === true || handling?.keep === true) return false;
  return desired.children.every(canRecreate);
}

/** Returns the live entry for a desired one, under its former name if it has one. */
export function liveEntry(list: TreeNode, wanted: DesiredNode): TreeNode | undefined {
  const was = wanted.handling?.was;
  return childEntry(list, wanted.name ?? "", wanted.tag) ?? (was === undefined ? undefined : childEntry(list, was, wanted.tag));
}
