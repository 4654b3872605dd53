import { SecretValue } from "../core/secret.js";
import { DesiredNode } from "./model.js";
import { SymbolicSecret } from "./secrets.js";
import type { Template } from "./template.js";

/** A piece of a value: plain text, a secret, or a value to be known only after an apply. */
export type Piece = string | SecretValue | typeof LATER;
export const LATER = Symbol("known after apply");

/** Returns `node` with its value: the text of a leaf or member, or the name of an entry. */
export function withValue(node: DesiredNode, template: Template, pieces: readonly Piece[]): DesiredNode {
  const expression = template.map((part) => (typeof part === "string" ? part : part.text)).join("");
  const refers = template.some((part) => typeof part !== "string" && (part.kind === "target" || part.kind === "local"));
  const handling = { ...node.handling, ...(refers ? { madeBy: expression } : {}) };
  const facts = { origin: node.origin, prunes: node.prunes, declared: node.declared };
  if (node.name !== undefined) {
    const later = pieces.includes(LATER);
    const name = later ? expression : pieces.join("");
    return new DesiredNode(node.tag, name, "", node.children, {
      ...facts,
      handling: { ...handling, ...(later ? { unresolved: expression } : {}) },
    });
  }
  if (pieces.includes(LATER))
    return new DesiredNode(node.tag, node.name, expression, [], { ...facts, handling: { ...handling, unresolved: expression } });
  if (pieces.some((piece) => piece instanceof SecretValue)) {
    const secret = pieces.some((piece) => piece instanceof SymbolicSecret)
      ? new SymbolicSecret(expression)
      : new SecretValue(pieces.map((piece) => (piece instanceof SecretValue ? piece.reveal() : String(piece))).join(""), expression);
    return new DesiredNode(node.tag, node.name, expression, [], { ...facts, handling: { ...handling, secret } });
  }
  const some = Object.keys(handling).length > 0;
  return new DesiredNode(node.tag, node.name, pieces.join(""), [], { ...facts, handling: some ? handling : undefined });
}

/**
 * Returns `node` with some of its descendants replaced. Calls `twice` with an entry and its new name if another entry of the list already
 * has this name.
 */
export function replaceNodes(
  node: DesiredNode,
  by: ReadonlyMap<DesiredNode, readonly DesiredNode[]>,
  twice: (replaced: DesiredNode, name: string) => void,
): DesiredNode {
  let changed = false;
  const renamed: (readonly [DesiredNode, string])[] = [];
  const children = node.children.flatMap((child) => {
    const others = by.get(child);
    const next = others ?? [child.children.length === 0 ? child : replaceNodes(child, by, twice)];
    if (others !== undefined || next[0] !== child) changed = true;
    for (const { name } of others ?? []) if (name !== undefined) renamed.push([child, name]);
    return next;
  });
  if (!changed) return node;
  if (renamed.length > 0) reportRepeated(children, renamed, twice);
  const copy = new DesiredNode(node.tag, node.name, node.text, children, {
    origin: node.origin,
    prunes: node.prunes,
    declared: node.declared,
    handling: node.handling,
  });
  copy.attributes = node.attributes;
  return copy;
}

function reportRepeated(
  entries: readonly DesiredNode[],
  renamed: readonly (readonly [DesiredNode, string])[],
  twice: (replaced: DesiredNode, name: string) => void,
): void {
  const counts = new Map<string, number>();
  for (const { name } of entries) if (name !== undefined) counts.set(name, (counts.get(name) ?? 0) + 1);
  for (const [replaced, name] of renamed) if ((counts.get(name) ?? 0) > 1) twice(replaced, name);
}
