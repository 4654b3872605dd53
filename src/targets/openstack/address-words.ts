import { childByTag } from "../../core/tree/lookup.js";
import type { TreeNode } from "../../core/tree/node.js";
import { DesiredNode } from "../../desired/model.js";
import { withChildren } from "./lost-protection.js";

/**
 * The addresses that an entry declares in its list `tag`, each under the name that the live one has: several of one subnet have no
 * order. One that does not say which address it wants is any that the others leave.
 */
export function addressesAsShown(entry: DesiredNode, live: TreeNode, tag: string): DesiredNode {
  const list = childByTag(entry, tag) as DesiredNode | undefined;
  const free = [...(childByTag(live, tag)?.children ?? [])];
  if (list === undefined || free.length === 0) return entry;
  const take = (fits: (each: TreeNode) => boolean): TreeNode | undefined => {
    const at = free.findIndex(fits);
    return at === -1 ? undefined : free.splice(at, 1)[0];
  };
  const shown = new Map<DesiredNode, TreeNode | undefined>();
  for (const each of list.children)
    if (said(each, "ip_address") !== undefined)
      shown.set(
        each,
        take((there) => said(there, "ip_address") === said(each, "ip_address") && isOfOneSubnet(each, there)),
      );
  for (const isSaid of [false, true])
    for (const each of list.children)
      if (shown.get(each) === undefined && (said(each, "ip_address") !== undefined) === isSaid)
        shown.set(
          each,
          take((there) => isOfOneSubnet(each, there)),
        );
  const used = new Set([...shown.values()].map((there) => there?.name));
  const children = list.children.map((each) => {
    const there = shown.get(each);
    if (there !== undefined) return named(withSubnet(each, there), there.name);
    const name = newName(each, used);
    used.add(name);
    return named(each, name);
  });
  if (children.every((child, index) => child === list.children[index])) return entry;
  return withChildren(
    entry,
    entry.children.map((child) => (child === list ? withChildren(list, children) : child)),
  );
}

/** Address pairs with the MAC address of the port itself are shown without it. */
export function pairsAsShown(port: DesiredNode, live: TreeNode): DesiredNode {
  const own = said(live, "mac_address")?.toLowerCase();
  const list = childByTag(port, "allowed_address_pairs") as DesiredNode | undefined;
  if (list === undefined || own === undefined) return port;
  const children = list.children.map((pair) => {
    if (said(pair, "mac_address")?.toLowerCase() !== own) return pair;
    const rest = pair.children.filter(({ tag }) => tag !== "mac_address");
    return named(withChildren(pair, rest), `${said(pair, "ip_address")} *`);
  });
  if (children.every((child, index) => child === list.children[index])) return port;
  return withChildren(
    port,
    port.children.map((child) => (child === list ? withChildren(list, children) : child)),
  );
}

/** One that names no subnet means that of its address. */
function isOfOneSubnet(declared: TreeNode, there: TreeNode): boolean {
  const subnet = said(declared, "subnet");
  return subnet === undefined ? said(declared, "ip_address") === said(there, "ip_address") : subnet === said(there, "subnet");
}

function withSubnet(declared: DesiredNode, there: TreeNode): DesiredNode {
  const subnet = childByTag(there, "subnet");
  if (subnet === undefined || childByTag(declared, "subnet") !== undefined) return declared;
  const { origin, prunes, declared: isDeclared } = declared;
  const added = new DesiredNode("subnet", undefined, subnet.text, [], { origin, prunes, declared: isDeclared });
  return withChildren(declared, [added, ...declared.children]);
}

/** The first name of its subnet that no other entry has. */
function newName(declared: DesiredNode, used: ReadonlySet<string | undefined>): string | undefined {
  const base = declared.name?.replace(/ #\d+$/, "");
  for (let count = 1; ; count++) {
    const name = count === 1 ? base : `${base} #${count}`;
    if (!used.has(name)) return name;
  }
}

function named(node: DesiredNode, name: string | undefined): DesiredNode {
  if (node.name === name) return node;
  return new DesiredNode(node.tag, name, node.text, node.children, node);
}

function said(node: TreeNode, tag: string): string | undefined {
  const text = childByTag(node, tag)?.text;
  return text === "" ? undefined : text;
}
