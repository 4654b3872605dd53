import { diffLines } from "diff";
import { DesiredNode } from "../desired/model.js";
import { SecretLeaf, type TreeNode } from "../tree/node.js";

const WIDTH = 96;
const SEPARATOR = " · ";

/** The content of a node in few words: `ip-netmask 10.0.0.1/32 · tag [dmz, web]`. Secrets show as their label. */
export function inline(node: TreeNode): string {
  if (node instanceof SecretLeaf) return node.secret.label;
  if (node instanceof DesiredNode && node.directive?.secret !== undefined) return node.directive.secret.label;
  if (node.children.length === 0) return node.text === "" ? "{}" : quoteIfNeeded(node.text);
  if (node.children.every((child) => child.tag === "member"))
    return `[${node.children.map((child) => quoteIfNeeded(child.text)).join(", ")}]`;
  return parts(node).join(SEPARATOR);
}

function wrap(node: TreeNode): string {
  const text = inline(node);
  const nested = node.children.some((child) => child.tag !== "member");
  return nested ? `{ ${text} }` : text;
}

function quoteIfNeeded(text: string): string {
  return text === "" || /[\n,[\]{}]|^\s|\s$/.test(text) ? JSON.stringify(text) : text;
}

/** The same, wrapped between settings where one line would not fit. */
export function block(node: TreeNode): string[] {
  const lines: string[] = [];
  let line = "";
  for (const part of parts(node)) {
    if (line !== "" && line.length + part.length + SEPARATOR.length > WIDTH) {
      lines.push(line);
      line = "";
    }
    line = line === "" ? shorten(part) : `${line}${SEPARATOR}${shorten(part)}`;
  }
  return [...lines, line];
}

function parts(node: TreeNode): string[] {
  const listed = node.children.length > 0 && node.children.some((child) => child.tag !== "member");
  return listed ? node.children.map((child) => `${child.name ?? child.tag} ${wrap(child)}`) : [inline(node)];
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
    if (added.length + gone.length > 0) return memberLines(gone, added);
  }
  if (before.text.includes("\n") || after.text.includes("\n")) return hunks(before.text, after.text);
  return [{ mark: "~", text: `${inline(before)} → ${inline(after)}` }];
}

/** One line where it fits, so that a rule with three touched lists takes three. */
function memberLines(gone: readonly DetailLine[], added: readonly DetailLine[]): DetailLine[] {
  const lines = [...gone, ...added];
  const line = lines.map(({ mark, text }) => `${mark} ${text}`).join("  ");
  return line.length <= WIDTH ? [{ mark: "~", text: line }] : lines;
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
