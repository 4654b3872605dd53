import { diffLines } from "diff";
import { SecretLeaf, type TreeNode } from "../core/tree/node.js";
import type { Shape } from "../core/tree/shape.js";
import { DesiredNode } from "../desired/model.js";

const WIDTH = 96;
const SEPARATOR = " · ";

/**
 * Describes the content of a node briefly: `ip-netmask 10.0.0.1/32 · tag [dmz, web]`. Secrets appear as their label; a value from a
 * reference is followed by the reference. With a shape, the content of entries without a name appears only once, and read-only values are
 * omitted.
 */
export function inline(node: TreeNode, shape?: Shape): string {
  if (node instanceof SecretLeaf) return node.secret.label;
  if (node instanceof DesiredNode && node.handling?.secret !== undefined) return node.handling.secret.label;
  if (node.children.length === 0) return textOf(node);
  if (node.children.every((child) => child.tag === "member")) return `[${node.children.map(textOf).join(", ")}]`;
  return parts(node, shape).join(SEPARATOR);
}

function wrap(node: TreeNode, shape: Shape | undefined): string {
  const text = inline(node, shape);
  const nested = node.children.some((child) => child.tag !== "member");
  return nested ? `{ ${text} }` : text;
}

function textOf(node: TreeNode): string {
  const handling = node instanceof DesiredNode ? node.handling : undefined;
  if (handling?.unresolved !== undefined) return `known after apply ← ${handling.unresolved}`;
  const text = node.text === "" ? "{}" : quoteIfNeeded(node.text);
  return handling?.madeBy === undefined || node.name !== undefined ? text : `${text} ← ${handling.madeBy}`;
}

function quoteIfNeeded(text: string): string {
  return text === "" || /[\n,[\]{}]|^\s|\s$/.test(text) ? JSON.stringify(text) : text;
}

/** Returns the same, wrapped between settings if one line is too long. */
export function block(node: TreeNode, shape?: Shape): string[] {
  const lines: string[] = [];
  let line = "";
  for (const part of parts(node, shape)) {
    if (line !== "" && line.length + part.length + SEPARATOR.length > WIDTH) {
      lines.push(line);
      line = "";
    }
    line = line === "" ? shorten(part) : `${line}${SEPARATOR}${shorten(part)}`;
  }
  return [...lines, line];
}

function parts(node: TreeNode, shape: Shape | undefined): string[] {
  const listed = node.children.length > 0 && node.children.some((child) => child.tag !== "member");
  if (!listed) return [inline(node, shape)];
  const shown = node.children.filter((child) => shape?.child(child.tag).readOnly !== true);
  return shown.map((child) => part(child, shape?.child(child.tag), shape?.key));
}

/** The name of an entry without a name is its content. Only the remaining content follows it. */
function part(child: TreeNode, shape: Shape | undefined, key: readonly string[] | undefined): string {
  const name = child.name ?? child.tag;
  if (key === undefined) return `${name} ${wrap(child, shape)}`;
  const rest = child.children.filter(({ tag }) => !key.includes(tag) && shape?.child(tag).readOnly !== true);
  return rest.length === 0 ? name : `${name} { ${rest.map((each) => part(each, shape?.child(each.tag), undefined)).join(SEPARATOR)} }`;
}

/** Cuts a line that is too long for a terminal, and appends the number of omitted characters. */
function shorten(text: string): string {
  const room = WIDTH * 3;
  return text.length <= room ? text : `${text.slice(0, room)}… (${text.length - room} more characters)`;
}

export interface DetailLine {
  readonly mark: "+" | "-" | "~" | " ";
  readonly text: string;
}

/** Describes the difference of one node: member lists by their members, long texts by hunks, other nodes by value. */
export function difference(before: TreeNode, after: TreeNode): DetailLine[] {
  const members = (node: TreeNode) => node.children.filter((child) => child.tag === "member").map((child) => child.text);
  if (before.children.length > 0 || after.children.length > 0) {
    const old = members(before);
    const wanted = members(after);
    const oldSet = new Set(old);
    const wantedSet = new Set(wanted);
    const added = wanted.filter((text) => !oldSet.has(text)).map((text) => ({ mark: "+" as const, text }));
    const removed = old.filter((text) => !wantedSet.has(text)).map((text) => ({ mark: "-" as const, text }));
    if (added.length + removed.length > 0) return memberLines(removed, added);
  }
  if (before.text.includes("\n") || after.text.includes("\n")) return hunks(before.text, after.text);
  return [{ mark: "~", text: `${inline(before)} → ${inline(after)}` }];
}

/** Uses one line if it fits, so that a rule with three changed lists takes three lines. */
function memberLines(removed: readonly DetailLine[], added: readonly DetailLine[]): DetailLine[] {
  const lines = [...removed, ...added];
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
