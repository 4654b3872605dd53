import { isSameAddress } from "../../../core/address-range.js";
import type { TreeNode } from "../../../core/tree/node.js";
import type { ReachAnswer, Translation } from "../../../outcome/reach.js";
import type { FlowAsSent } from "../../../outcome/whole-path.js";
import { narrowest, type Subnet } from "../../../reachability/kit/subnet.js";
import type { PassingFlow, PolicyOptions, Transit, TransitWay } from "../../../reachability/policy-role.js";
import { ROOT_PATH } from "../shape.js";
import type { Project } from "./members.js";
import { type FloatingIp, type Router, type Station, subnetsOf, type Topology, topologyIn } from "./topology.js";
import { verdictOf } from "./verdict.js";

/** Maximum number of consecutive routers in a project. */
const MOST_ROUTERS = 8;

/** Follows flows through a project: between ports, through routers, and by gateways and floating IPs. */
export function transitOf(root: TreeNode, project: Project, options: PolicyOptions): Transit {
  const topology = topologyIn(root);
  return {
    addressesOf: (name) => topology.stations.filter((each) => each.name === name).map(({ address }) => address),
    ownerOf: (address) => ownerIn(topology, address),
    // Other members of its networks do not route, and only answer for their own addresses.
    neighbourOf: () => undefined,
    ways: (flow) => [new Walk(topology, project, options, flow).way()],
  };
}

function ownerIn({ stations, floatingIps, routers }: Topology, address: string): string | undefined {
  const floating = floatingIps.find((each) => isSameAddress(each.address, address));
  if (floating !== undefined) return `floating IP ${floating.name}`;
  const station = stations.find((each) => isSameAddress(each.address, address));
  const router = routers.find((each) => addressesOf(each).some((own) => isSameAddress(own, address)));
  return station === undefined ? router && `router ${router.name}` : nameOf(station);
}

function addressesOf({ interfaces, external }: Router): readonly string[] {
  return [...interfaces.map(({ address }) => address), ...(external?.addresses ?? [])];
}

/** Returns `server web-01`, or the server with its declared port. */
function nameOf({ holder, name }: Station): string {
  return holder.endsWith(` ${name}`) || holder.includes(` ${name} `) ? holder : `server ${name} (${holder})`;
}

/** Follows one flow through a project. */
class Walk {
  readonly #conditions: string[] = [];
  readonly #via: string[] = [];
  readonly #checks: (readonly ReachAnswer[])[] = [];
  #source: string | undefined;
  #destination: string;
  #translation: Translation | undefined;
  #from: TransitWay["from"];

  constructor(
    readonly topology: Topology,
    readonly project: Project,
    readonly options: PolicyOptions,
    readonly flow: PassingFlow,
  ) {
    this.#source = flow.source;
    this.#destination = flow.destination;
  }

  way(): TransitWay {
    const { at, source } = this.flow;
    if (at !== undefined) return this.#enters(at);
    const [station, ...more] = this.topology.stations.filter(({ address }) => source !== undefined && isSameAddress(address, source));
    if (station === undefined) return this.#ends(`no port of the project has ${source}`);
    if (more.length > 0) return this.#ends(`${more.length + 1} ports of the project have ${source}`);
    this.#from = { zone: nameOf(station), route: `network ${station.network}` };
    this.#check("egress", station, this.#destination);
    return this.#leaves(station);
  }

  /** Traffic that another part of the network hands to an address of this project. */
  #enters(at: string): TransitWay {
    const floating = this.#floatingAt(at);
    const station = this.#stationAt(at);
    if (floating === undefined && station !== undefined) {
      this.#from = { zone: `network ${station.network}` };
      return isSameAddress(at, this.#destination) ? this.#arrives(station) : this.#ends(`${nameOf(station)} would have to hand it on`);
    }
    const router = floating === undefined ? this.#routerAt(at) : this.#routerOf(floating);
    if (router === undefined) return this.#ends(`${floating === undefined ? at : `floating IP ${floating.name}`} is behind no router`);
    this.#from = { zone: `router ${router.name}`, interface: router.external?.network };
    const isOutside = floating !== undefined || router.external?.addresses.some((own) => isSameAddress(own, at)) === true;
    return this.#routed(router, isOutside);
  }

  /** Traffic from a port: to a neighbour, by a route of its subnet, or to the gateway. */
  #leaves(station: Station): TransitWay {
    const subnets = subnetsOf(station.network, this.topology.subnets);
    const own = narrowest(subnets, station.address);
    if (own === undefined) return this.#ends(`in which subnet ${station.address} stands is not known`);
    if (narrowest([own], this.#destination) !== undefined) return this.#delivered(own);
    const hop = narrowest(own.routes, this.#destination)?.nextHop ?? own.gateway;
    return hop === undefined ? this.#ends(`${own.network} has no gateway, and no route to ${this.#destination}`) : this.#handed(hop, own);
  }

  /** To a next hop in a subnet. */
  #handed(hop: string, subnet: Subnet): TransitWay {
    const router = this.topology.routers.find(({ interfaces }) =>
      interfaces.some((each) => each.subnet === subnet && isSameAddress(each.address, hop)),
    );
    if (router !== undefined) return this.#routed(router, false);
    const station = this.topology.stations.find(({ network, address }) => network === subnet.network && isSameAddress(address, hop));
    if (station !== undefined) return this.#ends(`${nameOf(station)} would have to hand it on`);
    return this.#out({ address: hop }, { zone: `network ${subnet.network}`, nextHop: hop });
  }

  #routed(router: Router, isOutside: boolean): TransitWay {
    if (this.#via.length === MOST_ROUTERS) return this.#ends(`routers hand it on more than ${MOST_ROUTERS} times`);
    const floating = this.#floatingAt(this.#destination);
    const isOwn = floating !== undefined && this.#routerOf(floating) === router;
    if (isOwn && floating.station === undefined) return this.#ends(`floating IP ${floating.name} is not attached`);
    if (isOwn && floating.station !== undefined) {
      // Traffic from inside to such an address must return through the router.
      if (!isOutside) this.#translateSource(router);
      this.#translate(`floating IP ${floating.name}`, { destination: floating.station.address }, pathOf("floatingips", floating.name));
      this.#destination = floating.station.address;
    }
    const networks = router.interfaces.map(({ subnet }) => ({ range: subnet.range, text: subnet.text, subnet, nextHop: undefined }));
    const routes = router.routes.map((route) => ({ ...route, subnet: undefined }));
    const best = narrowest([...networks, ...routes], this.#destination);
    this.#via.push(`router ${router.name}${best === undefined ? "" : `  ${best.text}`}`);
    if (best === undefined) return this.#outside(router);
    if (isOutside && !isOwn && router.external?.translates === true)
      this.#conditions.push(`router ${router.name}, which translates what leaves, lets in what is sent to addresses behind it`);
    if (best.subnet !== undefined) return this.#delivered(best.subnet);
    const by = router.interfaces.find(({ subnet }) => narrowest([subnet], best.nextHop) !== undefined);
    return by === undefined ? this.#outside(router, best.nextHop) : this.#handed(best.nextHop, by.subnet);
  }

  /** Leaves by the gateway of a router. */
  #outside(router: Router, reason?: string): TransitWay {
    const { external } = router;
    if (external === undefined) return this.#ends(`router ${router.name} has no route to ${this.#destination}`);
    this.#translateSource(router);
    const [own] = external.addresses;
    const shown = subnetsOf(external.network, this.topology.subnets);
    const subnet = own === undefined ? shown[0] : narrowest(shown, own);
    const isThere = subnet !== undefined && narrowest([subnet], this.#destination) !== undefined;
    const hop = isThere ? this.#destination : (reason ?? subnet?.gateway);
    const door = { zone: `router ${router.name}`, interface: external.network, nextHop: hop };
    if (hop !== undefined) return this.#out({ address: hop }, door);
    if (own === undefined) return this.#ends(`where ${external.network} leads is not known`);
    return this.#out({ networkOf: own, words: `is the gateway of ${external.network}` }, door);
  }

  #translateSource(router: Router): void {
    const source = this.#source;
    const station = source === undefined ? undefined : this.#stationAt(source);
    const floating = this.topology.floatingIps.find((each) => station !== undefined && each.station === station);
    if (floating !== undefined) {
      this.#source = floating.address;
      this.#translate(`floating IP ${floating.name}`, { source: floating.address }, pathOf("floatingips", floating.name));
    } else if (router.external?.translates === true) {
      const [own] = router.external.addresses;
      this.#source = own;
      this.#translate(`router ${router.name}`, { source: own ?? "an address of its gateway" }, pathOf("routers", router.name));
    }
  }

  #translate(rule: string, made: Pick<Translation, "source" | "destination">, xpath: ReturnType<typeof pathOf>): void {
    const before = this.#translation;
    const where = before?.where ?? { xpath: xpath.toString(), ...this.options.locate?.(xpath) };
    this.#translation = { ...before, ...made, rule: before === undefined ? rule : `${before.rule}, ${rule}`, where };
  }

  /** To an address in a subnet of the project. */
  #delivered(subnet: Subnet): TransitWay {
    const there = this.topology.stations.find(
      ({ network, address }) => network === subnet.network && isSameAddress(address, this.#destination),
    );
    if (there !== undefined) return this.#arrives(there);
    const router = this.topology.routers.find(({ interfaces }) =>
      interfaces.some((each) => each.subnet === subnet && isSameAddress(each.address, this.#destination)),
    );
    if (router !== undefined) return this.#ends(`${this.#destination} is router ${router.name} itself`);
    return this.#out({ address: this.#destination }, { zone: `network ${subnet.network}` });
  }

  #arrives(station: Station): TransitWay {
    this.#check("ingress", station, this.#source);
    return this.#out({ arrived: nameOf(station) }, { zone: nameOf(station), route: `network ${station.network}` });
  }

  #check(direction: "ingress" | "egress", station: Station, remote: string | undefined): void {
    const remoteHolder = remote === undefined ? undefined : this.#stationAt(remote)?.holder;
    const isIpv6 = this.#destination.includes(":");
    const { service } = this.flow;
    this.#checks.push(verdictOf({ direction, holder: station.holder, remote, remoteHolder, isIpv6, service }, this.project, this.options));
  }

  #out(next: NonNullable<TransitWay["next"]>, to: NonNullable<TransitWay["to"]>): TransitWay {
    const after: FlowAsSent = { source: this.#source, destination: this.#destination, service: this.flow.service };
    return { ...this.#made(), to, reaches: this.#destination, after, next };
  }

  #ends(ends: string): TransitWay {
    return { ...this.#made(), ends };
  }

  #made(): TransitWay {
    return { conditions: this.#conditions, from: this.#from, via: this.#via, translation: this.#translation, checks: this.#checks };
  }

  #stationAt(address: string): Station | undefined {
    return this.topology.stations.find((each) => isSameAddress(each.address, address));
  }

  #routerAt(address: string): Router | undefined {
    return this.topology.routers.find((each) => addressesOf(each).some((own) => isSameAddress(own, address)));
  }

  #floatingAt(address: string): FloatingIp | undefined {
    return this.topology.floatingIps.find((each) => isSameAddress(each.address, address));
  }

  /**
   * Returns the router of a floating IP as reported by the service. Otherwise returns an external router with an interface in the target's
   * network.
   */
  #routerOf({ router, station }: FloatingIp): Router | undefined {
    const { routers } = this.topology;
    return (
      routers.find(({ name }) => name === router) ??
      routers.find(
        ({ external, interfaces }) => external !== undefined && interfaces.some(({ subnet }) => subnet.network === station?.network),
      )
    );
  }
}

function pathOf(list: string, name: string) {
  return ROOT_PATH.child(list).entry(name);
}
