import type { TreeNode } from "../../../core/tree/node.js";
import { escapeText } from "../../../core/tree/xml/escape.js";
import type { Administrator } from "../access/administrators.js";
import type { LabCapabilities } from "../capabilities.js";
import type { JobFault } from "../commit/commit.js";
import type { LabDevice } from "../device.js";
import type { Reply } from "../http/reply.js";
import { child } from "../state/facts.js";

/** What an operational command is given. `node` is the element that its path in the table leads to. */
export interface OperationCall {
  readonly device: LabDevice;
  readonly admin: Administrator;
  readonly node: TreeNode;
  /** Parameter `vsys` of the request. */
  readonly vsys: string | undefined;
  readonly jobFault: JobFault;
}

export interface Operation {
  /** What the device must know for this; the specification's own commands need nothing. */
  readonly needs: keyof LabCapabilities | undefined;
  readonly run: (call: OperationCall) => Reply;
}

/** Rows by the command's elements, joined by `/`; the longest row that a command begins with answers it. */
export type OperationTable = Readonly<Record<string, Operation>>;

/** `<tag>text</tag>` for each pair; empty text makes an empty element. */
export function fields(pairs: readonly (readonly [string, string])[]): string {
  return pairs.map(([tag, text]) => (text === "" ? `<${tag}/>` : `<${tag}>${escapeText(text)}</${tag}>`)).join("");
}

/** Text of the element at a path below `node`, or undefined. */
export function textAt(node: TreeNode, ...tags: readonly string[]): string | undefined {
  let at: TreeNode | undefined = node;
  for (const tag of tags) at = child(at, tag);
  return at?.text;
}
