import { diffLines } from "diff";
import { SecretLeaf, type TreeNode } from "../tree/node.js";

const WIDTH = 96;

/** The content of a node in few words: `ip-netmask 10.0.0.1/32 · tag [dmz, web]`. Secrets show as their label. */
export function inline(node: TreeNode): string {
  if (node instanceof SecretLeaf) return node.secret.label;
  if (node.children.length === 0) return node.text === "" ? "{}" : quoteIfNeeded(node.text);
  if (node.children.every((child) => child.tag === "member"))
    return `[${node.children.map((child) => quoteIfNeeded(child.text)).join(", ")}]`;
  return node.children.map((child) => `${child.name ?? child.tag} ${wrap(child)}`).join(" · ");
}

function wrap(node: TreeNode): string {
  const text = inline(node);
  const nested = node.children.some((child) => child.tag !== "member");
  return nested ? `{ ${text} }` : text;
}

function quoteIfNeeded(text: string): string {
  return text === "" || /[\n,[\]{}]|^\s|\s$/.test(text) ? JSON.stringify(text) : text;
}

/** The same over several lines, indented, where one line would not fit. */
export function block(node: TreeNode): string[] {
  const line = inline(node);
  if (line.length <= WIDTH) return [line];
  const lines: string[] = [];
  for (const child of node.children) {
    const label = child.name ?? child.tag;
    const text = inline(child);
    if (text.length + label.length < WIDTH || child.children.length === 0) lines.push(`${label} ${shorten(text)}`);
    else lines.push(label, ...block(child).map((inner) => `  ${inner}`));
  }
  return lines;
}

/** Cuts a line that no terminal shows whole, and says how much is left out. */
function shorten(text: string): string {
  const room = WIDTH * 3;
  return text.length <= room ? text : `${text.slice(0, room)}… (${text.length - room} more characters)`;
}

export interface DetailLine {
  readonly mark: "+" | "-" | "~" | " ";
  readonly text: string;
}

/** Before and after of one differing node: member lists by their members, long texts by hunks, others by value. */
export function difference(before: TreeNode, after: TreeNode): DetailLine[] {
  const members = (node: TreeNode) => node.children.filter((child) => child.tag === "member").map((child) => child.text);
  if (before.children.length > 0 || after.children.length > 0) {
    const old = members(before);
    const wanted = members(after);
    const oldSet = new Set(old);
    const wantedSet = new Set(wanted);
    const added = wanted.filter((text) => !oldSet.has(text)).map((text) => ({ mark: "+" as const, text }));
    const gone = old.filter((text) => !wantedSet.has(text)).map((text) => ({ mark: "-" as const, text }));
    if (added.length + gone.length > 0) return [...gone, ...added];
  }
  if (before.text.includes("\n") || after.text.includes("\n")) return hunks(before.text, after.text);
  return [{ mark: "~", text: `${inline(before)} → ${inline(after)}` }];
}

function hunks(before: string, after: string): DetailLine[] {
  return diffLines(before, after).flatMap((part) => {
    const mark = part.added ? "+" : part.removed ? "-" : " ";
    return part.value
      .replace(/\n$/, "")
      .split("\n")
      .map((text): DetailLine => ({ mark, text }))
      .filter((line, i, all) => line.mark !== " " || i < 2 || i >= all.length - 2);
  });
}
