import { contentKey } from "../../core/tree/content-key.js";
import { childByTag } from "../../core/tree/lookup.js";
import type { TreeNode } from "../../core/tree/node.js";
import { DesiredNode } from "../../desired/model.js";
import { withChildren } from "./map-children.js";
import { openstackShape } from "./shape.js";

/** Attribute of a live rule's `remote_address_group`: the id that documents may use instead. */
export const ALSO_BY_ID = "also-by-id";

/** Converts rules that refer to an address group by id to rules that use its name. */
export function rulesAsShown(group: DesiredNode, live: TreeNode): DesiredNode {
  const list = childByTag(group, "rules") as DesiredNode | undefined;
  const current = (childByTag(live, "rules")?.children ?? []).flatMap((rule) => childByTag(rule, "remote_address_group") ?? []);
  const names = new Map(current.map(({ attributes, text }) => [attributes?.get(ALSO_BY_ID), text]));
  if (list === undefined || names.size === 0) return group;
  const rules = list.children.map((rule) => {
    const id = childByTag(rule, "remote_address_group_id");
    const name = id === undefined ? undefined : names.get(id.text);
    return name === undefined ? rule : byName(rule, name);
  });
  if (rules.every((rule, index) => rule === list.children[index])) return group;
  return withChildren(
    group,
    group.children.map((child) => (child === list ? withChildren(list, rules) : child)),
  );
}

function byName(rule: DesiredNode, name: string): DesiredNode {
  const children = rule.children.map((child) =>
    child.tag === "remote_address_group_id" ? new DesiredNode("remote_address_group", undefined, name, [], child) : child,
  );
  const renamed = withChildren(rule, children);
  return new DesiredNode(rule.tag, contentKey(renamed, RULES()), rule.text, children, rule);
}

const RULES = () => openstackShape().child("security_groups").child("entry").child("rules");
