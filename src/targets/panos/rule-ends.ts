import { endDatesIn } from "../../access/end-date.js";
import type { TreeNode } from "../../core/tree/node.js";
import { Path } from "../../core/tree/path.js";
import type { RuleEnd, RuleEndAt } from "../../desired/rule-end.js";
import { isDisabled, textOf } from "./security-rule.js";

/** Tags of the lists on the way to security rules and address groups. */
const ABOVE = new Set(
  "config shared devices entry vsys device-group rulebase pre-rulebase post-rulebase security rules address-group panorama".split(" "),
);

/** Returns the end dates in a configuration. */
export function ruleEndsIn(root: TreeNode, scopeAt: (path: Path) => string | undefined): RuleEndAt[] {
  const found: RuleEndAt[] = [];
  const visit = (node: TreeNode, path: Path): void => {
    for (const child of node.children) {
      if (!ABOVE.has(child.tag)) continue;
      const at = child.name === undefined ? path.child(child.tag) : path.entry(child.name, child.tag);
      const kind = child.tag === "entry" ? kindOf(path) : undefined;
      if (kind === undefined) visit(child, at);
      else found.push(...endsOf(child, at, kind, scopeAt(at) ?? "shared"));
    }
  };
  visit(root, Path.root.child(root.tag));
  return found;
}

function kindOf(list: Path): RuleEnd["kind"] | undefined {
  if (list.tag === "address-group") return "address group";
  return list.tag === "rules" && list.parent?.tag === "security" ? "rule" : undefined;
}

function endsOf(node: TreeNode, path: Path, kind: RuleEnd["kind"], scope: string): RuleEndAt[] {
  const ends = endDatesIn(textOf(node, "description") ?? "").filter(({ member }) => kind === "rule" || member !== undefined);
  const there = ends.filter(({ member }) => member === undefined || hasMember(node, member.list, member.name));
  return there.map(({ until, member }) => ({
    scope,
    kind,
    name: node.name ?? "",
    xpath: path.toString(),
    until,
    member,
    isDisabled: isDisabled(node),
    path,
  }));
}

function hasMember(node: TreeNode, list: string, name: string): boolean {
  return node.children.some(({ tag, children }) => tag === list && children.some(({ text }) => text === name));
}
