import { isSameAddress } from "../../../core/address-range.js";
import type { TreeNode } from "../../../core/tree/node.js";
import { flowsTo } from "../../../desired/assertions.js";
import { narrowest } from "../../../reachability/kit/subnet.js";
import type { PassingFlow, Transit, TransitWay } from "../../../reachability/policy-role.js";
import { type Fabric, lastOf } from "./fabric.js";
import { flowsIn } from "./flows.js";
import { ANYWHERE, type Links } from "./links.js";
import { type Places, placesIn } from "./subnets.js";

/** Traces flows between networks of a controller. Interfaces are unknown, so the network of an endpoint is derived from its address. */
export function transitOf(
  root: TreeNode,
  { fabric, links }: { readonly fabric: Fabric; readonly links: Links },
  labels: ReadonlyMap<string, string>,
): Transit {
  const between = new Between(placesIn(root, new Set(fabric.networks.keys())), fabric, links, labels);
  const worded = (names: readonly string[], word: string) =>
    names.length === 0 ? undefined : names.map((name) => `${word} ${between.label(name)}`).join(" or ");
  return {
    addressesOf: (name) => between.places.floatingIps.flatMap((each) => (lastOf(each.name) === name ? (each.address ?? []) : [])),
    ownerOf: (address) => worded(between.answering(address), "gateway of"),
    neighbourOf: (address, isNext) => (isNext ? undefined : worded(between.having(address), "network")),
    behind: (address) => worded(between.routed(address), "network"),
    ways: (flow) => between.ways(flow),
  };
}

/** Source network of a flow, for the policies. */
interface Origin {
  readonly network: string;
  readonly conditions: readonly string[];
  readonly unread?: readonly string[];
}

class Between {
  constructor(
    readonly places: Places,
    readonly fabric: Fabric,
    readonly links: Links,
    readonly labels: ReadonlyMap<string, string>,
  ) {}

  label(name: string): string {
    return this.labels.get(name) ?? name;
  }

  /** Returns the networks that contain the address. Several tenants may use the same addresses. */
  having(address: string): string[] {
    return this.#networks(({ range }) => narrowest([{ range }], address) !== undefined);
  }

  /** Returns the networks that contain the address and that the controller routes to. */
  routed(address: string): string[] {
    return this.#networks(({ range, isBridged }) => !isBridged && narrowest([{ range }], address) !== undefined);
  }

  /** Returns the networks in which the controller itself has this address. */
  answering(address: string): string[] {
    return this.#networks(({ own, isBridged }) => !isBridged && own.some((each) => isSameAddress(each, address)));
  }

  #networks(is: (subnet: Places["subnets"][number]) => boolean): string[] {
    return [...new Set(this.places.subnets.filter(is).map(({ network }) => network))];
  }

  ways(flow: PassingFlow): TransitWay[] {
    const { source, destination, at } = flow;
    if (source === undefined) return [ended("which source address it has by now is not known")];
    const floating = this.places.floatingIps.find(({ address }) => isSameAddress(destination, address));
    if (floating !== undefined) return [ended(`floating IP ${lastOf(floating.name)} belongs to an interface that is not visible`)];
    const origins = at === undefined ? this.#begun(flow, source) : this.#entered(at, flow, source);
    if (origins.length === 0) return [ended(`no known network of the controller has ${source}`)];
    return origins.flatMap((origin) => this.#onward(origin, flow, source));
  }

  #begun({ from }: PassingFlow, source: string): Origin[] {
    const meant = flowsIn(this.labels, { ...flowsTo([]), from }).zones.from;
    if (meant !== "any" && meant.includes(ANYWHERE)) return [{ network: ANYWHERE, conditions: [] }];
    const all = this.having(source).filter((name) => meant === "any" || meant.includes(this.label(name)));
    return all.map((network) => ({
      network,
      conditions: this.#choice(source, network, all),
      unread: [`security groups of interfaces in ${this.label(network)} let it out`],
    }));
  }

  /**
   * Returns the networks that a flow enters: by a network's gateway, directly if the destination is in the network, else by a gateway of
   * the controller.
   */
  #entered(at: string, { destination }: PassingFlow, source: string): Origin[] {
    const having = this.having(source);
    const taken = (name: string) => `the controller takes it for traffic of ${this.label(name)}`;
    const own = this.answering(at);
    const inside = own.length > 0 ? own : isSameAddress(at, destination) ? this.having(at) : [];
    if (inside.length === 0) return [{ network: ANYWHERE, conditions: having.length === 0 ? [] : [taken(ANYWHERE)] }];
    // If the source is in the gateway's network, the flow comes from that network.
    const near = inside.filter((name) => having.includes(name));
    const all = near.length > 0 ? near : inside;
    return all.map((network) => ({
      network,
      conditions: [...this.#choice(at, network, all), ...(near.length > 0 ? [] : [taken(network)])],
    }));
  }

  #choice(address: string, network: string, all: readonly string[]): string[] {
    return all.length > 1 ? [`${address} is that in network ${this.label(network)}`] : [];
  }

  #onward(origin: Origin, flow: PassingFlow, source: string): TransitWay[] {
    const { destination, at } = flow;
    const { network, conditions } = origin;
    const from = { zone: this.label(network) };
    const stop = (ends: string): TransitWay[] => [{ conditions, from, ends }];
    if (this.answering(destination).includes(network)) return stop(`${destination} is the gateway of ${from.zone} itself`);
    const here = this.having(destination).includes(network);
    // The destination receives the flow directly in its own network.
    if (here && (at === undefined || isSameAddress(at, destination))) return [this.#to(network, origin, flow, source)];
    const handed = at === undefined && !here ? this.#handed(network, destination, source) : undefined;
    if (handed !== undefined) return "ends" in handed ? stop(handed.ends) : [this.#to(network, origin, flow, source, handed)];
    const route = this.#table(network, destination);
    if (route !== undefined)
      return stop(`route table ${lastOf(route.table)} sends ${route.text} to ${route.nextHop}, which is not followed`);
    const all = here ? [...new Set([network, ...this.routed(destination)])] : this.routed(destination);
    const linked = all.filter((name) => this.#isLinked(network, name));
    const open = [...this.places.open, ...[...this.links.from(network).keys()].filter((name) => !this.fabric.networks.has(name))];
    if (linked.length === 0 && open.length > 0)
      return stop(`whether ${open.map((name) => this.label(name)).join(" or ")} has ${destination} is not known`);
    const found = linked.length > 0 ? linked : all;
    if (found.length > 0)
      return found.map((name) => {
        const choice = this.#choice(destination, name, found);
        return this.#to(name, { ...origin, conditions: [...conditions, ...choice] }, flow, source);
      });
    const [bridged] = this.having(destination);
    if (bridged !== undefined) return stop(`${this.label(bridged)}, which has ${destination}, forwards only by layer 2`);
    if (network === ANYWHERE) return stop(`no network of the controller that it routes to has ${destination}`);
    return [this.#to(ANYWHERE, origin, flow, source)];
  }

  /** Returns the next hop inside the sender's network: a host route of its subnet, or the gateway of a bridged subnet. */
  #handed(network: string, destination: string, source: string): { readonly address: string } | { readonly ends: string } | undefined {
    const subnet = narrowest(
      this.places.subnets.filter((each) => each.network === network),
      source,
    );
    const hop = subnet && (narrowest(subnet.routes, destination)?.nextHop ?? (subnet.isBridged ? subnet.gateway : undefined));
    if (hop !== undefined) return this.answering(hop).includes(network) ? undefined : { address: hop };
    return subnet?.isBridged === true
      ? { ends: `${this.label(network)} forwards only by layer 2, and its gateway is not known` }
      : undefined;
  }

  /** Returns the route of a table that applies to an address if no subnet is more specific. */
  #table(network: string, destination: string) {
    const { tables, subnets } = this.places;
    const having = [network, ...this.#routersAt(network).map(({ name }) => name)];
    const routes = having.flatMap((name) => tables.get(name) ?? []);
    if (routes.length === 0) return undefined;
    const near = subnets.filter(({ network: name }) => name === network || this.#isLinked(network, name));
    const best = narrowest<{ readonly range: (typeof near)[number]["range"] }>([...routes, ...near], destination);
    return routes.find((route) => route === best);
  }

  #routersAt(name: string) {
    const network = this.fabric.networks.get(name);
    return network === undefined ? [] : this.links.routersAt(network);
  }

  #isLinked(from: string, to: string): boolean {
    const network = this.fabric.networks.get(to);
    const link = from === ANYWHERE && network !== undefined ? this.links.outside(network, false) : this.links.between(from, to);
    return from === to || link !== undefined;
  }

  #to(
    to: string,
    { network, conditions, unread }: Origin,
    flow: PassingFlow,
    source: string,
    handed?: { readonly address: string },
  ): TransitWay {
    const { destination, service } = flow;
    const zone = this.label(to);
    const isFloating = to !== network && this.places.floatingIps.some(({ fixed }) => fixed === "" || isSameAddress(source, fixed));
    const isOut = to === ANYWHERE || this.fabric.networks.get(to)?.isExternal === true;
    const isTranslated =
      network !== to && isOut && (this.#routersAt(network).length > 0 || this.fabric.networks.get(network)?.hasFabricSnat === true);
    const isOpen = isOut && to === ANYWHERE;
    return {
      conditions: isFloating ? [...conditions, `no floating IP translates ${source}`] : conditions,
      unread,
      from: { zone: this.label(network) },
      to: { zone, ...(isOpen ? { interface: "a gateway" } : {}), ...(handed === undefined ? {} : { nextHop: handed.address }) },
      reaches: destination,
      after: { source: isTranslated ? undefined : source, destination, service },
      next:
        handed ??
        (isOpen
          ? { networkOf: source, words: `is the way out of ${this.label(network)}` }
          : { address: destination, unread: `security groups of interfaces in ${zone} let it in` }),
    };
  }
}

function ended(ends: string): TransitWay {
  return { conditions: [], ends };
}
