import { canonicalScalar } from "../../core/tree/canonical-text.js";
import { childByTag } from "../../core/tree/lookup.js";
import type { TreeNode } from "../../core/tree/node.js";
import { DesiredNode } from "../../desired/model.js";
import { HELD_ELSEWHERE } from "../../plan/reference-index.js";
import { mapChildren, withChildren } from "./map-children.js";

/** Tags of the address and of its subnet or network in a row. */
interface Words {
  readonly address: string;
  readonly of: string;
}

const OF_SUBNET: Words = { address: "ip_address", of: "subnet" };

/** Interfaces with a port are named differently. */
export function interfacesAsShown(server: DesiredNode, live: TreeNode, ports?: TreeNode): DesiredNode {
  return addressesAsShown(unmarkedPortsAsShown(server, live, ports), live, "networks", { address: "fixed_ip", of: "network" });
}

/** An interface on a port that this run adopts is still shown as its network and address, because the port has no mark. */
function unmarkedPortsAsShown(server: DesiredNode, live: TreeNode, ports: TreeNode | undefined): DesiredNode {
  const list = childByTag(server, "networks") as DesiredNode | undefined;
  if (list === undefined) return server;
  const asShown = mapChildren(list, (row) => {
    const port = ports?.children.find((each) => each.name === nonEmptyText(row, "port") && each.attributes?.has(HELD_ELSEWHERE) === true);
    const address = nonEmptyText(childByTag(port ?? row, "fixed_ips")?.children[0] ?? row, "ip_address");
    const there = childByTag(live, "networks")?.children.find(
      (each) =>
        port !== undefined && nonEmptyText(each, "network") === nonEmptyText(port, "network") && nonEmptyText(each, "fixed_ip") === address,
    );
    if (there === undefined) return row;
    const children = there.children.map(({ tag, text }) => new DesiredNode(tag, undefined, text, [], row));
    return named(withChildren(row, children), there.name);
  });
  return mapChildren(server, (child) => (child === list ? asShown : child));
}

/**
 * Names the declared addresses of the list `tag` like the live ones, because several addresses of one subnet have no order. A row without
 * an address matches any remaining live address.
 */
export function addressesAsShown(entry: DesiredNode, live: TreeNode, tag: string, words = OF_SUBNET): DesiredNode {
  const list = childByTag(entry, tag) as DesiredNode | undefined;
  const isPort = (row: TreeNode) => nonEmptyText(row, "port") !== undefined;
  const free = (childByTag(live, tag)?.children ?? []).filter((row) => !isPort(row));
  const rows = list?.children.filter((row) => !isPort(row)) ?? [];
  if (list === undefined || free.length === 0) return entry;
  const take = (fits: (each: TreeNode) => boolean): TreeNode | undefined => {
    const at = free.findIndex(fits);
    return at === -1 ? undefined : free.splice(at, 1)[0];
  };
  const shown = new Map<DesiredNode, TreeNode | undefined>();
  for (const each of rows)
    if (nonEmptyText(each, words.address) !== undefined)
      shown.set(
        each,
        take(
          (there) =>
            shortest(nonEmptyText(there, words.address)) === shortest(nonEmptyText(each, words.address)) &&
            isOfOneSubnet(each, there, words),
        ),
      );
  for (const hasAddress of [false, true])
    for (const each of rows)
      if (shown.get(each) === undefined && (nonEmptyText(each, words.address) !== undefined) === hasAddress)
        shown.set(
          each,
          take((there) => isOfOneSubnet(each, there, words)),
        );
  const used = new Set([...shown.values()].map((there) => there?.name));
  const children = list.children.map((each) => {
    if (isPort(each)) return each;
    const there = shown.get(each);
    if (there !== undefined) return named(withSubnet(each, there, words), there.name);
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

/** Removes the port's own MAC address from declared address pairs, because live pairs are shown without it. */
export function pairsAsShown(port: DesiredNode, live: TreeNode): DesiredNode {
  const own = nonEmptyText(live, "mac_address")?.toLowerCase();
  const list = childByTag(port, "allowed_address_pairs") as DesiredNode | undefined;
  if (list === undefined || own === undefined) return port;
  const children = list.children.map((pair) => {
    if (nonEmptyText(pair, "mac_address")?.toLowerCase() !== own) return pair;
    const rest = pair.children.filter(({ tag }) => tag !== "mac_address");
    return named(withChildren(pair, rest), `${shortest(nonEmptyText(pair, "ip_address"))} *`);
  });
  if (children.every((child, index) => child === list.children[index])) return port;
  return withChildren(
    port,
    port.children.map((child) => (child === list ? withChildren(list, children) : child)),
  );
}

/** A row without a subnet means the subnet of its address. */
function isOfOneSubnet(declared: TreeNode, there: TreeNode, { address, of }: Words): boolean {
  const subnet = nonEmptyText(declared, of);
  return subnet === undefined
    ? shortest(nonEmptyText(declared, address)) === shortest(nonEmptyText(there, address))
    : subnet === nonEmptyText(there, of);
}

function withSubnet(declared: DesiredNode, there: TreeNode, { of }: Words): DesiredNode {
  const subnet = childByTag(there, of);
  if (subnet === undefined || childByTag(declared, of) !== undefined) return declared;
  const { origin, prunes, declared: isDeclared } = declared;
  const added = new DesiredNode(of, undefined, subnet.text, [], { origin, prunes, declared: isDeclared });
  return withChildren(declared, [added, ...declared.children]);
}

/** Returns the first unused name for its subnet. */
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

/** Returns an address in its shortest spelling. */
function shortest(text: string | undefined): string | undefined {
  return text === undefined ? undefined : canonicalScalar(text, "cidr");
}

function nonEmptyText(node: TreeNode, tag: string): string | undefined {
  const text = childByTag(node, tag)?.text;
  return text === "" ? undefined : text;
}
