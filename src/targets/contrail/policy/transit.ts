import { addressNumber } from "../../../core/address-range.js";
import type { PassingFlow, Transit, TransitWay } from "../../../engine/policies.js";
import type { AddressRange } from "../../../insight/policy.js";
import type { Fabric, Network } from "./fabric.js";
import { ANYWHERE, type Links } from "./links.js";

/** How flows that are handed to the gateway of a network pass to others: by their policies, where these join them. */
export function transitOf(fabric: Fabric, links: Links, labels: ReadonlyMap<string, string>): Transit {
  const networks = [...fabric.networks.values()];
  const label = ({ name }: Network) => labels.get(name) ?? name;
  const gated = (address: string) => networks.filter((network) => isGateway(network, address));
  return {
    addressesOf: () => [],
    ownerOf(address) {
      const [network] = gated(address);
      return network && `the gateway of ${label(network)}`;
    },
    besideOf: () => undefined,
    ways(flow) {
      const { at } = flow;
      const entered = at === undefined ? [] : gated(at).filter(({ subnets }) => flow.source === undefined || holds(subnets, flow.source));
      if (entered.length === 0) return [{ conditions: [], ends: `no network of the controller holds ${flow.source} behind ${at}` }];
      return entered.flatMap((network) => {
        const conditions = entered.length === 1 ? [] : [`${at} is the gateway of ${label(network)}`];
        return waysFrom(network, flow).map((way) => ({ ...way, conditions: [...conditions, ...way.conditions] }));
      });
    },
  };

  function waysFrom(network: Network, { source, destination, service }: PassingFlow): TransitWay[] {
    const from = { zone: label(network), route: `network ${label(network)}` };
    const route = network.routes
      .filter(({ range }) => isIn(range, destination))
      .map(({ table, nextHop }) => `${table} hands it to ${nextHop}`);
    const holding = networks.filter(({ subnets }) => holds(subnets, destination));
    const own = holding.filter(({ name }) => name === network.name || links.between(network.name, name) !== undefined);
    const isOut = links.outside(network, true) !== undefined;
    if (own.length === 0 && (isOut || route.length > 0)) {
      const why = route[0] ?? `where it leaves the networks of the controller, nobody says`;
      return [{ conditions: [], from, ends: why }];
    }
    const after = { source, destination, service };
    const reached = own.length > 0 ? own : holding;
    const zones = reached.length > 0 ? reached.map(label) : [ANYWHERE];
    return zones.map((zone) => ({
      conditions: zones.length === 1 ? [] : [`${destination} is in ${zone}`],
      from,
      to: { zone, route: zone === ANYWHERE ? undefined : `network ${zone}` },
      reaches: destination,
      after,
      next: { address: destination },
    }));
  }
}

function isGateway({ subnets }: Network, address: string): boolean {
  return subnets.some(({ gateway }) => gateway !== undefined && addressNumber(gateway) === addressNumber(address));
}

function holds(subnets: Network["subnets"], address: string): boolean {
  return subnets.some(({ range }) => isIn(range, address));
}

function isIn({ first, last }: AddressRange, address: string): boolean {
  const number = addressNumber(address);
  return number !== undefined && first <= number && number <= last;
}
