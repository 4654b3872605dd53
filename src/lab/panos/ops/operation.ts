import type { TreeNode } from "../../../core/tree/node.js";
import { escapeText } from "../../../core/tree/xml/escape.js";
import type { Administrator } from "../access/administrators.js";
import type { LabCapabilities } from "../capabilities.js";
import type { JobFault } from "../commit/commit.js";
import type { LabDevice } from "../device.js";
import type { Reply } from "../http/reply.js";
import { child } from "../state/system-facts.js";

/** Input of an operational command. `node` is the element at its path in the table. */
export interface OperationCall {
  readonly device: LabDevice;
  readonly admin: Administrator;
  readonly node: TreeNode;
  /** Parameter `vsys` of the request. */
  readonly vsys: string | undefined;
  readonly jobFault: JobFault;
}

export interface Operation {
  /** Required capability. The commands of the specification require no capability. */
  readonly needs: keyof LabCapabilities | undefined;
  readonly run: (call: OperationCall) => Reply;
}

/** Operations by the command's element names, joined by `/`. The longest matching prefix of a command wins. */
export type OperationTable = Readonly<Record<string, Operation>>;

/** Returns `<tag>text</tag>` for each pair. Empty text gives an empty element. */
export function fields(pairs: readonly (readonly [string, string])[]): string {
  return pairs.map(([tag, text]) => (text === "" ? `<${tag}/>` : `<${tag}>${escapeText(text)}</${tag}>`)).join("");
}

/** Returns the text of the element at a path below `node`, or undefined. */
export function textAt(node: TreeNode, ...tags: readonly string[]): string | undefined {
  let at: TreeNode | undefined = node;
  for (const tag of tags) at = child(at, tag);
  return at?.text;
}
