import type { TreeNode } from "../../../core/tree/node.js";

/** A reply of the API, in whichever of its five shapes it came (docs/devices/panos.md#replies). `code` is the truth where there is one. */
export interface DeviceReply {
  readonly httpStatus: number;
  /** `success`, `error`, `failed`, or `unauth`; as the device says it. */
  readonly status: string;
  readonly code: number | undefined;
  /** The texts of `msg`, trimmed, without empty ones. */
  readonly lines: readonly string[];
  readonly result: TreeNode | undefined;
  /** The `response` element. */
  readonly root: TreeNode;
}

/** Reads the envelope; undefined when the document is no `response`. */
export function readReply(root: TreeNode, httpStatus: number): DeviceReply | undefined {
  if (root.tag !== "response") return undefined;
  const code = root.attributes?.get("code");
  const result = childOf(root, "result");
  const message = childOf(root, "msg") ?? (result === undefined ? undefined : childOf(result, "msg"));
  return {
    httpStatus,
    status: root.attributes?.get("status") ?? "",
    code: code !== undefined && /^\d+$/.test(code) ? Number(code) : undefined,
    lines: message === undefined ? [] : textLines(message),
    result,
    root,
  };
}

const DONE: ReadonlySet<number> = new Set([0, 19, 20]);

/** Codes that come with `status="success"` and still say "there was nothing" (docs/devices/panos.md#replies). */
const OBJECT_NOT_PRESENT = 7;
export const OBJECT_NOT_FOUND = 13;

/** True when the device did what was asked. A code outside 0, 19 and 20 is no success, whatever `status` says. */
export function succeeded(reply: DeviceReply): boolean {
  return reply.status === "success" && (reply.code === undefined || DONE.has(reply.code));
}

/** True for both ways of saying that the node asked for is not there. */
export function saysAbsent(reply: DeviceReply): boolean {
  if (reply.code === OBJECT_NOT_PRESENT) return true;
  return reply.status === "error" && reply.code === undefined && /^no such node/i.test(reply.lines[0] ?? "");
}

const UNKNOWN_COMMAND: ReadonlySet<number> = new Set([1, 17, 400]);

/** True when the device does not offer the command at all. */
export function saysUnknownCommand(reply: DeviceReply): boolean {
  return !succeeded(reply) && reply.code !== undefined && UNKNOWN_COMMAND.has(reply.code);
}

export function childOf(node: TreeNode, tag: string): TreeNode | undefined {
  return node.children.find((child) => child.tag === tag);
}

/** The node found by child steps from `node`. */
export function descend(node: TreeNode | undefined, ...tags: readonly string[]): TreeNode | undefined {
  return tags.reduce<TreeNode | undefined>((at, tag) => (at === undefined ? undefined : childOf(at, tag)), node);
}

/** All text at and below a node, trimmed; devices put blanks, line ends and CDATA where they like. */
export function textOf(node: TreeNode | undefined): string {
  if (node === undefined) return "";
  return node.children.length === 0 ? node.text.trim() : node.children.map(textOf).join(" ").trim();
}

/** Lines of a `msg` or `details`: `line` elements at any depth, or the bare text. Line ends that were written as two letters are none. */
export function textLines(node: TreeNode): readonly string[] {
  const hasLines = node.children.some((child) => child.tag === "line");
  const lines = hasLines ? node.children.flatMap(textLines) : textOf(node).split("\n");
  return lines.map((line) => line.trim()).filter((line) => !/^(?:\\n)*$/.test(line));
}

/** One sentence of the device's words, for a message. */
export function deviceWords(reply: DeviceReply): string {
  if (reply.lines.length > 0) return reply.lines.join("; ");
  const code = reply.code === undefined ? "no code" : `code ${reply.code}`;
  return `status "${reply.status}", ${code}, no message`;
}
