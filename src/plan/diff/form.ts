import type { TreeNode } from "../../core/tree/node.js";

/** What a node's content looks like; `mixed` for children of several kinds, as only `$xml` writes them. */
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

/** True where what is wanted cannot become what is live by writing some of it: text against structure, members against entries. */
export function formsClash(wanted: Form, live: Form): boolean {
  if (wanted === live || wanted === "empty" || live === "empty") return false;
  return wanted === "text" || live === "text" || (wanted !== "mixed" && live !== "mixed");
}

/** How a live node is to be written, for the error that refuses another form. */
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
