import type { TreeNode } from "../../core/tree/node.js";

/** Form of a node's content. `mixed`: children of several kinds, which only `$xml` writes. */
export type Form = "empty" | "text" | "members" | "entries" | "children" | "mixed";

export function formOf(node: TreeNode): Form {
  const first = node.children[0];
  if (first === undefined) return node.text === "" ? "empty" : "text";
  const form = formWith(first);
  return node.children.every((child) => formWith(child) === form) ? form : "mixed";
}

function formWith(child: TreeNode): Form {
  if (child.tag === "member" && child.name === undefined) return "members";
  return child.name === undefined ? "children" : "entries";
}

/** Returns whether the desired form cannot result from changing parts of the live one: text against structure, members against entries. */
export function formsClash(wanted: Form, live: Form): boolean {
  if (wanted === live || wanted === "empty" || live === "empty") return false;
  return wanted === "text" || live === "text" || (wanted !== "mixed" && live !== "mixed");
}

/** Returns how to write a live node in YAML, for the error about a wrong form. */
export function howToWrite(live: TreeNode): string {
  const { tag } = live;
  switch (formOf(live)) {
    case "text":
      return `it is a leaf on the target: write a scalar, ${tag}: value`;
    case "members":
      return `it holds members on the target: write a sequence, ${tag}: [a, b], or ${tag}: {$members: [a, b]}`;
    case "entries":
      return `it holds entries on the target: write a map of entries by name, ${tag}: {NAME: {…}}, or ${tag}: {$entries: {NAME: {…}}}`;
    default:
      return `it holds other elements on the target: write a map, ${tag}: {CHILD: …}`;
  }
}
