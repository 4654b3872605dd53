import type { TreeNode } from "../../../core/tree/node.js";
import type { FlowAsSent } from "../../../outcome/whole-path.js";
import type { PassingFlow, Transit, TransitWay } from "../../../reachability/policy-role.js";
import { containsAddress, rangesOf } from "./contains-value.js";
import { type Walk, walkIn } from "./forwarding-paths.js";
import { type Host, hostAt, hostOf } from "./host.js";
import { matchedBy } from "./name-scopes.js";
import { outsideOf, worksBothWays } from "./nat.js";
import type { ReadingOptions } from "./reading.js";
import type { EffectiveSystem } from "./systems.js";

/** Follows flows through a virtual system: from the interface that receives them, by routes and NAT. */
export function transitOf(root: TreeNode, system: EffectiveSystem, options: ReadingOptions): Transit {
  const walk = walkIn(root, system, options);
  const { routes, zones, names } = walk;
  const inZone = (name: string | undefined) => (name === undefined || !zones.has(name) ? undefined : name);
  const ownerOf = (host: Host) => inZone(routes.ownerOf(host));
  const neighbourOf = (host: Host) => inZone(routes.neighbourOf(host));

  function ways({ source, destination, service, application, at, from }: PassingFlow): TransitWay[] {
    if (source === undefined) return [{ conditions: [], ends: "which source address it has by now is not known" }];
    const host = at === undefined ? undefined : hostOf(at);
    const door = host === undefined ? undefined : (ownerOf(host) ?? neighbourOf(host));
    const zone = door === undefined ? undefined : zones.get(door);
    const question = { to: [], source: [source], destination: [destination], service: [service], application };
    return walk.ways({ ...question, from: zone === undefined ? from : [zone] }).map((way): TransitWay => {
      if (way.ends !== undefined || way.to === undefined || way.reaches === undefined) return way;
      const after = { source: sourceAfter(way, source), destination: way.reaches, service: serviceAfter(way, service) };
      return { ...way, after, next: { address: way.to.nextHop ?? way.reaches } };
    });
  }

  /** Returns the source address after NAT. Undefined if it is not known. */
  function sourceAfter({ translation, to }: TransitWay, source: string): string | undefined {
    if (translation?.source === undefined) return source;
    const [range, ...more] = rangesOf(names.addresses.named(translation.source)) ?? [];
    if (range !== undefined && more.length === 0 && range.first === range.last) return hostAt(range.first).text;
    const own = /^the address of (.+)$/.exec(translation.source)?.[1];
    const by = own === "its interface" ? to?.interface : own;
    return by === undefined ? undefined : routes.addressOf(by, source.includes(":"))?.text;
  }

  return {
    addressesOf: (name) => {
      const ranges = rangesOf(names.addresses.named(name)) ?? [];
      return ranges.filter(({ first, last }) => first === last).map(({ first }) => hostAt(first).text);
    },
    ownerOf: (address) => {
      const host = hostOf(address);
      return host === undefined ? undefined : ownerOf(host);
    },
    neighbourOf: (address, isNext) => {
      const host = hostOf(address);
      if (host === undefined) return undefined;
      return isNext || translates(host, walk) ? neighbourOf(host) : undefined;
    },
    ways,
  };
}

function serviceAfter({ translation }: TransitWay, service: FlowAsSent["service"]): string {
  return translation?.port === undefined ? service : `${service.split("/")[0]}/${translation.port}`;
}

/**
 * Whether a NAT rule refers to the address as original destination, or as public address of its reverse direction. The firewall answers for
 * these addresses.
 */
function translates({ number }: Host, { natRules, names }: Walk): boolean {
  return natRules.some(({ rule }) => {
    const destinations = matchedBy(rule, "destination");
    const fixed = worksBothWays(rule);
    const named = (destinations === "any" ? [] : destinations).map((name) => names.addresses.named(name));
    const all = fixed === undefined ? named : [...named, outsideOf(fixed, names)];
    return all.some((each) => containsAddress(each, number) !== false);
  });
}
