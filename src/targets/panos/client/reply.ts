import type { TreeNode } from "../../../core/tree/node.js";

/**
 * Meaning of a reply. `absent`: the node does not exist; `unsupported`: the device does not know the command; `refused`: any other failure.
 */
type Outcome = "done" | "absent" | "unsupported" | "refused";

/** A reply of the API, in any of its five forms (docs/contributing/devices/panos.md#replies). If `code` is present, it decides. */
export interface DeviceReply {
  readonly httpStatus: number;
  /** The device's status: `success`, `error`, `failed`, or `unauth`. */
  readonly status: string;
  readonly code: number | undefined;
  readonly outcome: Outcome;
  /** Texts of `msg`, trimmed and without empty lines. */
  readonly lines: readonly string[];
  readonly result: TreeNode | undefined;
  /** The `response` element. */
  readonly root: TreeNode;
}

/** Parses the envelope. Undefined if the document is not a `response`. */
export function readReply(root: TreeNode, httpStatus: number): DeviceReply | undefined {
  if (root.tag !== "response") return undefined;
  const status = root.attributes?.get("status") ?? "";
  const digits = root.attributes?.get("code");
  const code = digits !== undefined && /^\d+$/.test(digits) ? Number(digits) : undefined;
  const result = childOf(root, "result");
  const message = childOf(root, "msg") ?? (result === undefined ? undefined : childOf(result, "msg"));
  const lines = message === undefined ? [] : textLines(message);
  return { httpStatus, status, code, outcome: outcomeOf(status, code, lines), lines, result, root };
}

const DONE: ReadonlySet<number> = new Set([0, 19, 20]);

/** Codes that can come with `status="success"` and still mean that nothing was found (docs/contributing/devices/panos.md#replies). */
const OBJECT_NOT_PRESENT = 7;
export const OBJECT_NOT_FOUND = 13;

const UNKNOWN_COMMAND: ReadonlySet<number> = new Set([1, 17, 400]);

/** Codes other than 0, 19 and 20 are failures, even if `status` is `success`. Devices report an absent node in two forms. */
function outcomeOf(status: string, code: number | undefined, lines: readonly string[]): Outcome {
  if (status === "success" && (code === undefined || DONE.has(code))) return "done";
  if (code === OBJECT_NOT_PRESENT) return "absent";
  if (status === "error" && code === undefined && /^no such node/i.test(lines[0] ?? "")) return "absent";
  return code !== undefined && UNKNOWN_COMMAND.has(code) ? "unsupported" : "refused";
}

export function childOf(node: TreeNode, tag: string): TreeNode | undefined {
  return node.children.find((child) => child.tag === tag);
}

/** Follows child steps from `node`. */
export function descend(node: TreeNode | undefined, ...tags: readonly string[]): TreeNode | undefined {
  return tags.reduce<TreeNode | undefined>((at, tag) => (at === undefined ? undefined : childOf(at, tag)), node);
}

/** Returns all text in a node, trimmed. Devices add blanks, line ends and CDATA at arbitrary places. */
export function textOf(node: TreeNode | undefined): string {
  if (node === undefined) return "";
  return node.children.length === 0 ? node.text.trim() : node.children.map(textOf).join(" ").trim();
}

/** Returns the lines of `msg` or `details`: `line` elements at any depth, or the plain text. Lines of escaped line ends are dropped. */
export function textLines(node: TreeNode): readonly string[] {
  const hasLines = node.children.some((child) => child.tag === "line");
  const lines = hasLines ? node.children.flatMap(textLines) : textOf(node).split("\n");
  return lines.map((line) => line.trim()).filter((line) => !/^(?:\\n)*$/.test(line));
}

/** Returns the device's message as one sentence. */
export function deviceMessage(reply: DeviceReply): string {
  if (reply.lines.length > 0) return reply.lines.join("; ");
  const code = reply.code === undefined ? "no code" : `code ${reply.code}`;
  return `status "${reply.status}", ${code}, no message`;
}
