import { TreeNode } from "../../../core/tree/node.js";
import { ROOT, type SchemaPlace } from "../schema/schema-place.js";
import { type Chain, last } from "../tree/config-tree.js";
import { arrowsOf } from "../tree/place.js";
import { ruleKey } from "./object-of.js";
import { OBJECT_RULES, type ObjectRule } from "./objects.js";

/** Returns the findings of validate and commit in entries with an object rule: missing required fields and missing choices. */
export function commitFindings(root: TreeNode): string[] {
  const findings: string[] = [];
  visitObjects([root], (chain, rule) => {
    const entry = last(chain);
    const where = (): string => arrowsOf(chain);
    if (rule.oneOf !== undefined && !rule.oneOf.some((path) => isChosen(entry, path, rule))) {
      findings.push(`${where()} is missing one of ${enumerate(rule.oneOf.map((path) => path.split("/").at(-1) ?? path))}`);
    }
    for (const { tag, children } of rule.required === undefined ? [] : entry.children) {
      const isMixed = children.length > 1 && children.some((member) => member.tag === "member" && member.text === "any");
      if (isMixed) findings.push(`${where()} -> ${tag} 'any' should not be used with another ${tag}`);
    }
    for (const path of rule.required ?? []) {
      const tags = path.split("/");
      const above = tags.length === 1 || has(entry, tags.slice(0, -1).join("/"));
      if (above && !has(entry, path)) findings.push(`${[where(), ...tags.slice(0, -1)].join(" -> ")} is missing '${tags.at(-1)}'`);
    }
  });
  return findings;
}

/**
 * Removes all but the last of several alternatives in one node, as devices do without an error. Returns the same tree if there are no
 * such alternatives.
 */
export function withSingleChoices(root: TreeNode): TreeNode {
  return single(root, ROOT);
}

function single(node: TreeNode, spot: SchemaPlace): TreeNode {
  const { children } = node;
  let kept: TreeNode[] | undefined;
  for (const [index, child] of children.entries()) {
    const isReplaced = spot.choices.some((group) => group.includes(child.tag) && isFollowed(children, index, group));
    const fresh = isReplaced || child.children.length === 0 ? child : single(child, spot.child(child.tag));
    if ((isReplaced || fresh !== child) && kept === undefined) kept = children.slice(0, index);
    if (!isReplaced) kept?.push(fresh);
  }
  return kept === undefined ? node : new TreeNode(node.tag, node.name, node.text, kept, node.attributes);
}

/** Whether another alternative of the group comes after the child at `index`. */
function isFollowed(children: readonly TreeNode[], index: number, group: readonly string[]): boolean {
  const tag = children[index]?.tag;
  return children.slice(index + 1).some((other) => other.tag !== tag && group.includes(other.tag));
}

function visitObjects(chain: Chain, visit: (chain: Chain, rule: ObjectRule) => void): void {
  const node = last(chain);
  const key = node.children[0]?.tag === "entry" ? ruleKey(chain) : undefined;
  const rule = key === undefined ? undefined : OBJECT_RULES[key];
  for (const child of node.children) {
    if (child.children.length === 0 && rule === undefined) continue;
    const below = [...chain, child];
    if (rule !== undefined && child.tag === "entry") visit(below, rule);
    visitObjects(below, visit);
  }
}

/** Whether an alternative is chosen. An empty value does not count if the leaf has a check. */
function isChosen(entry: TreeNode, path: string, { leaves }: ObjectRule): boolean {
  const node = at(entry, path);
  return node !== undefined && (leaves?.[path] === undefined || node.text !== "");
}

function has(entry: TreeNode, path: string): boolean {
  return at(entry, path) !== undefined;
}

function at(entry: TreeNode, path: string): TreeNode | undefined {
  let node: TreeNode | undefined = entry;
  for (const tag of path.split("/")) node = node?.children.find((child) => child.tag === tag);
  return node;
}

function enumerate(words: readonly string[]): string {
  return words.length < 2 ? words.join("") : `${words.slice(0, -1).join(", ")} or ${words.at(-1)}`;
}
