import type { TreeNode } from "../../../tree/node.js";
import { TreeNode as Node } from "../../../tree/node.js";
import { type Chain, last } from "../tree/config-tree.js";
import { arrowsOf, type Place, placeBelow, placeOf } from "../tree/place.js";
import { ruleKey } from "./object-of.js";
import { OBJECT_RULES, type ObjectRule } from "./objects.js";

/** What validate and commit find wrong in the entries of known lists: required fields, and choices not made. */
export function commitFindings(root: TreeNode): string[] {
  const findings: string[] = [];
  visitObjects([root], placeOf([root]), (chain, rule) => {
    const entry = last(chain);
    const where = arrowsOf(chain);
    if (rule.oneOf !== undefined && !rule.oneOf.some((path) => has(entry, path))) {
      findings.push(`${where} is missing one of ${enumerate(rule.oneOf.map((path) => path.split("/").at(-1) ?? path))}`);
    }
    for (const path of rule.required ?? []) {
      const tags = path.split("/");
      const above = tags.length === 1 || has(entry, tags.slice(0, -1).join("/"));
      if (above && !has(entry, path)) findings.push(`${[where, ...tags.slice(0, -1)].join(" -> ")} is missing '${tags.at(-1)}'`);
    }
  });
  return findings;
}

/** The tree with one choice left where an entry holds several of one group: devices keep the last, silently. Same tree where none does. */
export function withSingleChoices(root: TreeNode): TreeNode {
  return single(root, placeOf([root]));
}

function single(node: TreeNode, place: Place): TreeNode {
  if (node.children.length === 0) return node;
  const last = new Map<string, number>();
  const groups = node.children.map((child, index) => {
    const { choice } = place.shape.child(child.tag);
    if (choice !== undefined) last.set(choice, index);
    return choice;
  });
  let changed = false;
  const children: TreeNode[] = [];
  node.children.forEach((child, index) => {
    const group = groups[index];
    if (group !== undefined && last.get(group) !== index && node.children[last.get(group) ?? index]?.tag !== child.tag) {
      changed = true;
      return;
    }
    const kept = single(child, placeBelow(place, child));
    if (kept !== child) changed = true;
    children.push(kept);
  });
  return changed ? new Node(node.tag, node.name, node.text, children, node.attributes) : node;
}

function visitObjects(chain: Chain, place: Place, visit: (chain: Chain, rule: ObjectRule) => void): void {
  const node = last(chain);
  const key = node.children[0]?.tag === "entry" ? ruleKey(chain) : undefined;
  const rule = key === undefined ? undefined : OBJECT_RULES[key];
  for (const child of node.children) {
    if (child.children.length === 0 && rule === undefined) continue;
    const below = [...chain, child];
    if (rule !== undefined && child.tag === "entry") visit(below, rule);
    visitObjects(below, placeBelow(place, child), visit);
  }
}

function has(entry: TreeNode, path: string): boolean {
  let node: TreeNode | undefined = entry;
  for (const tag of path.split("/")) node = node?.children.find((child) => child.tag === tag);
  return node !== undefined;
}

function enumerate(words: readonly string[]): string {
  return words.length < 2 ? words.join("") : `${words.slice(0, -1).join(", ")} or ${words.at(-1)}`;
}
