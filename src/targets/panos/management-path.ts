import { equalNodes } from "../../core/tree/equal.js";
import { find, pathOf, shapeAt } from "../../core/tree/lookup.js";
import type { TreeNode } from "../../core/tree/node.js";
import type { Path } from "../../core/tree/path.js";
import type { Change } from "../../plan/diff/change.js";
import type { Danger, OwnPath } from "../../plan/model.js";
import { cutRules } from "./management-path-rules.js";
import { deviceEntry } from "./scope.js";
import { panosShape } from "./shape.js";

const NETWORK = deviceEntry.child("network");
const INTERFACES = NETWORK.child("interface");
const ROUTERS = NETWORK.child("virtual-router");
const SYSTEMS = deviceEntry.child("vsys");

/** An interface with an address that Plumbline connects to. */
interface Door {
  readonly name: string;
  readonly address: string;
  /** The list that contains the address. */
  readonly list: Path;
  /** The address with its prefix length, as the device writes it. */
  readonly written: string;
}

/**
 * The path to the device if Plumbline connects to an address of one of its data interfaces (docs/guards.md#the-path-to-the-firewall): the
 * interface, its zone, its virtual router with routes, and the rules that allow access.
 */
export const panosManagementPath: OwnPath = {
  reads(changes, tree, addresses) {
    const systems = systemsOf(changes);
    if (systems.length === 0 && !changes.some(({ path }) => isNear(path, NETWORK))) return [];
    if (doorsIn(tree, addresses).length === 0) return [INTERFACES];
    return [
      INTERFACES,
      ROUTERS,
      ...systems.flatMap((system) => [system.child("zone"), system.child("import").child("network"), system.child("address")]),
      ...(systems.length === 0 ? [] : [deviceEntry.parent?.parent?.child("shared").child("address") ?? INTERFACES]),
    ];
  },
  cut: (addresses, before, after) => doorsIn(before, addresses).flatMap((door) => cutAt(door, before, after)),
};

/** Returns the virtual systems whose zones, imports or security rules contain a change, or are part of one. */
function systemsOf(changes: readonly Change[]): Path[] {
  const systems = changes.flatMap(({ path }) => {
    const system = path.steps().find(({ parent, name }) => name !== undefined && parent?.toString() === SYSTEMS.toString());
    if (system === undefined) return [];
    const parts = [system.child("zone"), system.child("import"), system.child("rulebase").child("security")];
    return parts.some((part) => isNear(path, part)) ? [system] : [];
  });
  return [...new Map(systems.map((system) => [system.toString(), system])).values()];
}

function isNear(path: Path, part: Path): boolean {
  return part.contains(path) || path.contains(part);
}

function doorsIn(tree: TreeNode, addresses: readonly string[]): Door[] {
  const interfaces = find(tree, INTERFACES);
  return interfaces === undefined ? [] : doorsBelow(interfaces, INTERFACES, "", addresses);
}

function doorsBelow(node: TreeNode, path: Path, name: string, addresses: readonly string[]): Door[] {
  return node.children.flatMap((child) => {
    const at = pathOf(path, child);
    if (child.tag !== "ip" || child.name !== undefined) return doorsBelow(child, at, child.name ?? name, addresses);
    return child.children.flatMap(({ name: written = "" }) => {
      const [address = ""] = written.split("/");
      return addresses.includes(address) ? [{ name, address, list: at, written }] : [];
    });
  });
}

function cutAt(door: Door, before: TreeNode, after: TreeNode): Danger[] {
  const places = [
    { path: door.list.entry(door.written), words: `the address of ${door.name}, the interface that Plumbline connects to` },
    { path: linkOf(door.list), words: `the link state of ${door.name}, the interface that Plumbline connects to` },
    ...routing(door, before),
    ...systemPlaces(door, before),
  ];
  return [...places.filter(({ path }) => !isSame(path, before, after)), ...cutRules(door, zonesOf(door, before), before, after)];
}

/** A sub-interface depends on the link state of its parent interface. */
function linkOf(list: Path): Path {
  const [top] = list.steps().filter(({ name }) => name !== undefined && name !== deviceEntry.name);
  return (top ?? list).child("link-state");
}

function routing({ name }: Door, tree: TreeNode): Danger[] {
  return entriesAt(tree, ROUTERS).flatMap((router) => {
    const member = router.child("interface").member(name);
    if (find(tree, member) === undefined) return [];
    const routes = entriesAt(tree, router.child("routing-table").child("ip").child("static-route"));
    return [
      { path: member, words: `the virtual router of ${name}, the interface that Plumbline connects to` },
      ...routes.map((path) => ({ path, words: `a route of the virtual router that Plumbline connects through` })),
    ];
  });
}

function systemPlaces(door: Door, tree: TreeNode): Danger[] {
  const imports = entriesAt(tree, SYSTEMS).map((system) => system.child("import").child("network").child("interface").member(door.name));
  const zones = zonesOf(door, tree).map((zone) => zone.child("network").child("layer3").member(door.name));
  return [...imports, ...zones]
    .filter((path) => find(tree, path) !== undefined)
    .map((path) => ({ path, words: `the zone or virtual system of ${door.name}, the interface that Plumbline connects to` }));
}

function zonesOf({ name }: Door, tree: TreeNode): Path[] {
  const zones = entriesAt(tree, SYSTEMS).flatMap((system) => entriesAt(tree, system.child("zone")));
  return zones.filter((zone) => find(tree, zone.child("network").child("layer3").member(name)) !== undefined);
}

function entriesAt(tree: TreeNode, list: Path): Path[] {
  return (find(tree, list)?.children ?? []).flatMap(({ name }) => (name === undefined ? [] : [list.entry(name)]));
}

function isSame(path: Path, before: TreeNode, after: TreeNode): boolean {
  const [a, b] = [find(before, path), find(after, path)];
  return a === undefined || b === undefined ? a === b : equalNodes(a, b, shapeAt(path, panosShape()));
}
