import { addressRange } from "../../../core/address-range.js";
import { childByTag, find } from "../../../core/tree/lookup.js";
import { TreeNode } from "../../../core/tree/node.js";
import type { AddressRange } from "../../../reachability/flows/policy.js";
import { rangeText } from "../../../reachability/format/format-addresses.js";
import { deviceEntry } from "../scope.js";
import { textOf } from "../security-rule.js";
import type { Addresses } from "./addresses.js";
import { rangesOf } from "./contains-value.js";
import { type Host, hostAt } from "./host.js";
import { membersOf } from "./name-scopes.js";

const NETWORK = deviceEntry.child("network");

/** Maximum number of recursive lookups: next hops behind next hops, or routers that refer to others. */
const MOST_STEPS = 8;
/** Defaults of a device for routes without these settings. */
const STATIC_DISTANCE = 10;
const METRIC = 10;
const LEARNING = ["bgp", "ospf", "ospfv3", "rip"];
const EMPTY = new TreeNode("nothing");

interface Route {
  /** For example `10.0.0.0/8`. */
  readonly text: string;
  readonly range: AddressRange;
  readonly isIpv6: boolean;
  /** Administrative distance, then metric. Smaller values win. */
  readonly rank: readonly [number, number];
  /** Set for a connected network. */
  readonly interface?: string | undefined;
  /** The address of that interface. */
  readonly own?: bigint | undefined;
  /** Set for a static route. */
  readonly entry?: TreeNode | undefined;
}

interface Router {
  readonly name: string;
  readonly interfaces: readonly string[];
  readonly routes: readonly Route[];
  /** Routes with an unknown destination. */
  readonly open: readonly string[];
  /** Enabled routing protocols. */
  readonly learns: readonly string[];
}

/** Result of a route lookup. */
export interface Exit {
  readonly router: string;
  /** Undefined if no route matches. */
  readonly route: string | undefined;
  /** Size of the matching route. A smaller route is more specific. */
  readonly size: bigint | undefined;
  /** Undefined if the route has no interface, or an unknown one. */
  readonly interface: string | undefined;
  /** Undefined if the destination is in the network of the interface. */
  readonly nextHop?: string | undefined;
  /** Reason why there is no interface. */
  readonly ends?: string | undefined;
  /** `stops`: certainly no route exists. `drops`: a route discards the traffic. */
  readonly stops?: boolean | undefined;
  readonly drops?: boolean | undefined;
  /** Conditions that must all hold. */
  readonly conditions: readonly string[];
}

/** Interfaces and routes of one firewall. Routes learned from other routers are not in its configuration. */
export class Routes {
  readonly routers: readonly Router[];
  /** Interfaces and routes whose addresses are not in the configuration. */
  readonly otherRouters: readonly string[];
  readonly #addresses: Addresses;

  /** `root` contains the interfaces. `addresses` belongs to the rulebase, because an interface may refer to an address object. */
  constructor(root: TreeNode, addresses: Addresses) {
    this.#addresses = addresses;
    const network = find(root, NETWORK);
    const interfaces = network === undefined ? undefined : childByTag(network, "interface");
    const connected = interfaces === undefined ? [] : networksOf(interfaces, "", addresses);
    this.routers = network === undefined ? [] : routersIn(network).map(({ name, node }) => routerOf(name, node, connected, addresses));
    const open = this.routers.flatMap((router) => router.open.map((name) => `the route "${name}" of ${router.name}`));
    this.otherRouters = [...(interfaces === undefined ? [] : otherRoutersIn(interfaces, "", addresses)), ...open];
  }

  /** Returns the interface that has this address, if any. */
  ownerOf({ number }: Host): string | undefined {
    return this.#networks().find((route) => route.own === number)?.interface;
  }

  /** Returns the interface whose network contains the address. The most specific network wins. */
  neighbourOf(address: Host): string | undefined {
    return bestOf(this.#networks(), address)[0]?.interface;
  }

  /** Returns the address of an interface. Undefined unless it has exactly one of this family. */
  addressOf(name: string, isIpv6: boolean): Host | undefined {
    const own = this.#networks().filter((route) => route.interface === name && route.isIpv6 === isIpv6);
    const numbers = new Set(own.flatMap((route) => route.own ?? []));
    const [number] = numbers;
    return number === undefined || numbers.size > 1 ? undefined : hostAt(number);
  }

  #networks(): readonly Route[] {
    return this.routers.flatMap(({ routes }) => routes).filter((route) => route.interface !== undefined);
  }

  /** Looks up the interfaces that a router sends traffic to an address by. Equal routes result in several. */
  lookUp(address: Host, router: string, steps = 0): Exit[] {
    const found = this.routers.find(({ name }) => name === router);
    const none = { router, route: undefined, size: undefined, interface: undefined, conditions: [] };
    if (found === undefined) return [{ ...none, ends: `there is no router "${router}"` }];
    if (steps > MOST_STEPS) return [{ ...none, ends: `routes lead from one to the next more than ${MOST_STEPS} times` }];
    const best = bestOf(found.routes, address);
    const [first] = best;
    const by = found.learns.join(", ");
    if (first === undefined) {
      const ends =
        by === "" ? `no route of ${router} leads to ${address.text}` : `only ${by} of ${router} may know a route to ${address.text}`;
      return [{ ...none, ends, stops: by === "" && steps === 0 }];
    }
    const isLearned = by !== "" && first.range.first !== first.range.last;
    const learned = isLearned ? [`${by} of ${router} knows nothing nearer to ${address.text} than ${first.text}`] : [];
    const alike = best.length === 1 ? [] : [`it is sent by this of ${best.length} routes`];
    return best.flatMap((route) =>
      this.#follow(route, address, found, steps).map((exit) => ({
        ...exit,
        route: `${route.text} of ${router}`,
        size: route.range.last - route.range.first,
        conditions: [...learned, ...alike, ...exit.conditions],
      })),
    );
  }

  #follow(route: Route, address: Host, { name: router }: Router, steps: number): Exit[] {
    const here = { router, route: route.text, size: undefined, conditions: [] };
    if (route.interface !== undefined) return [{ ...here, interface: route.interface }];
    const { entry } = route;
    if (entry === undefined) throw new Error("a route is an interface's or somebody's");
    const watched = textOf(childByTag(entry, "path-monitor") ?? entry, "enable") === "yes";
    const conditions = watched ? [`the monitored route "${entry.name}" is up`] : [];
    const own = textOf(entry, "interface");
    const hop = childByTag(entry, "nexthop");
    const next = hop === undefined ? undefined : (textOf(hop, "next-vr") ?? textOf(hop, "next-lr"));
    const via = hop === undefined ? undefined : (textOf(hop, "ip-address") ?? textOf(hop, "ipv6-address"));
    const host = via === undefined ? undefined : this.#host(via);
    if (own !== undefined) return [{ ...here, interface: own, nextHop: host?.text, conditions }];
    const further =
      next !== undefined ? this.lookUp(address, next, steps + 1) : host !== undefined ? this.lookUp(host, router, steps + 1) : undefined;
    if (further !== undefined)
      return further.map((exit) => ({ ...exit, nextHop: exit.nextHop ?? host?.text, conditions: [...conditions, ...exit.conditions] }));
    const isDropped = hop !== undefined && childByTag(hop, "discard") !== undefined;
    const ends = isDropped
      ? `the route "${entry.name}" of ${router} drops it`
      : `the next hop of route "${entry.name}" of ${router} is not known`;
    return [{ ...here, interface: undefined, ends, drops: isDropped, conditions }];
  }
  /** A next hop is an address or the name of an address object. */
  #host(text: string): Host | undefined {
    const [range, ...more] = rangesOf(this.#addresses.named(text)) ?? [];
    return range === undefined || more.length > 0 || range.first !== range.last ? undefined : hostAt(range.first);
  }
}

/** Returns the best routes for an address: the most specific ones, and of these the preferred ones. */
function bestOf(routes: readonly Route[], { number, isIpv6 }: Host): readonly Route[] {
  const matching = routes.filter((route) => route.isIpv6 === isIpv6 && route.range.first <= number && number <= route.range.last);
  const order = (a: Route, b: Route) =>
    Number(a.range.last - a.range.first - (b.range.last - b.range.first)) || a.rank[0] - b.rank[0] || a.rank[1] - b.rank[1];
  const [best, ...rest] = matching.sort(order);
  return best === undefined ? [] : [best, ...rest.filter((route) => order(best, route) === 0)];
}

function otherRoutersIn(node: TreeNode, name: string, addresses: Addresses): string[] {
  return node.children.flatMap((child) => {
    const own = child.name ?? name;
    if (child.tag === "ip" && child.name === undefined)
      return child.children.flatMap((each) =>
        connectedAt(own, each.name ?? "", addresses).length === 0 ? [`${own} by ${each.name}`] : [],
      );
    if (child.tag !== "dhcp-client" && child.tag !== "pppoe") return otherRoutersIn(child, own, addresses);
    return textOf(child, "enable") === "no" ? [] : [`${own} by ${child.tag === "pppoe" ? "PPPoE" : "DHCP"}`];
  });
}

/** Returns the networks of interfaces, including subinterfaces. */
function networksOf(node: TreeNode, name: string, addresses: Addresses): Route[] {
  return node.children.flatMap((child) => {
    const own = child.name ?? name;
    if (child.tag === "ip" && child.name === undefined)
      return child.children.flatMap((each) => connectedAt(own, each.name ?? "", addresses));
    if (child.tag !== "ipv6" || child.name !== undefined) return networksOf(child, own, addresses);
    return (childByTag(child, "address")?.children ?? []).flatMap((each) => connectedAt(own, each.name ?? "", addresses));
  });
}

/** Parses an address with its prefix length, or the name of an address object. */
function connectedAt(name: string, text: string, addresses: Addresses): Route[] {
  const [range, ...more] = rangesOf(addresses.named(text)) ?? [];
  if (range === undefined || more.length > 0) return [];
  const [own] = text.split("/");
  const isIpv6 = range.last >= 1n << 32n;
  return [{ text: rangeText(range), range, isIpv6, rank: [0, 0], interface: name, own: addressRange(own ?? "")?.first }];
}

function routersIn(network: TreeNode): { readonly name: string; readonly node: TreeNode }[] {
  const entries = (tag: string, at: TreeNode) => (childByTag(at, tag)?.children ?? []).filter(({ name }) => name !== undefined);
  const logical = entries("logical-router", network).flatMap((router) =>
    entries("vrf", router).map((node) => ({ name: node.name === "default" ? (router.name ?? "") : `${router.name} ${node.name}`, node })),
  );
  return [...entries("virtual-router", network).map((node) => ({ name: node.name ?? "", node })), ...logical];
}

function routerOf(name: string, node: TreeNode, connected: readonly Route[], addresses: Addresses): Router {
  const interfaces = membersOf(node, "interface") ?? [];
  const table = childByTag(node, "routing-table");
  const protocols = childByTag(node, "protocol") ?? node;
  return {
    name,
    interfaces,
    routes: [
      ...connected.filter((route) => interfaces.includes(route.interface ?? "")),
      ...["ip", "ipv6"].flatMap((family) => staticRoutes(table === undefined ? undefined : childByTag(table, family), addresses)),
    ],
    open: ["ip", "ipv6"].flatMap((family) => openRoutes(table === undefined ? undefined : childByTag(table, family), addresses)),
    learns: LEARNING.filter((tag) => textOf(childByTag(protocols, tag) ?? EMPTY, "enable") === "yes"),
  };
}

function staticEntries(table: TreeNode | undefined): readonly TreeNode[] {
  return table === undefined ? [] : (childByTag(table, "static-route")?.children ?? []);
}

function openRoutes(table: TreeNode | undefined, addresses: Addresses): string[] {
  return staticEntries(table).flatMap((entry) =>
    rangesOf(addresses.named(textOf(entry, "destination") ?? "")) === undefined ? [entry.name ?? ""] : [],
  );
}

function staticRoutes(table: TreeNode | undefined, addresses: Addresses): Route[] {
  return staticEntries(table).flatMap((entry): Route[] => {
    const text = textOf(entry, "destination") ?? "";
    const isOnlyMulticast = childByTag(childByTag(entry, "route-table") ?? EMPTY, "multicast") !== undefined;
    const ranges = isOnlyMulticast ? [] : (rangesOf(addresses.named(text)) ?? []);
    const number = (tag: string, otherwise: number) => Number(textOf(entry, tag) ?? otherwise);
    const rank = [number("admin-dist", STATIC_DISTANCE), number("metric", METRIC)] as const;
    return ranges.map((range) => ({ text, range, isIpv6: table?.tag === "ipv6", rank, entry }));
  });
}
