import type { TreeNode } from "../../../core/tree/node.js";
import type { AddressZones } from "../../../reachability/policy-role.js";
import { rangesOf } from "./contains-value.js";
import { Forwarding } from "./forwarding.js";
import { walkIn } from "./forwarding-paths.js";
import type { ReadingOptions } from "./reading.js";
import type { EffectiveSystem } from "./systems.js";

/** Returns the zones that the routes of a virtual system lead to for the addresses of a name or literal. */
export function zonesOfAddress(root: TreeNode, system: EffectiveSystem, text: string, options: ReadingOptions): AddressZones {
  const walk = walkIn(root, system, options);
  const ranges = rangesOf(walk.names.addresses.named(text));
  if (ranges === undefined) return { zones: [], unknown: [`the addresses of "${text}" are not in the configuration`] };
  const routers = walk.routes.routers.filter(({ interfaces }) => interfaces.some((each) => walk.zones.has(each)));
  if (routers.length === 0) return { zones: [], unknown: [`${system.scope} has no interface with routes`] };
  const isHost = ranges.every(({ first, last }) => first === last);
  const zones = new Set<string>();
  const unknown = new Set(walk.forwarding.map((rule) => `rule "${rule}" of policy-based forwarding may send it elsewhere`));
  for (const { name, learns } of routers) {
    if (learns.length > 0) unknown.add(`router ${name} learns routes by ${learns.join(", ")}`);
    for (const { hops, isOwn } of new Forwarding(walk, name).split(ranges).keys()) {
      if (isOwn && isHost) unknown.add(`"${text}" is an address of the firewall itself`);
      for (const { zone, stops, why } of hops) {
        if (zone !== undefined) zones.add(zone);
        else unknown.add(stops ? `router ${name} has no route to all of "${text}"` : why);
      }
    }
  }
  return { zones: [...zones], unknown: [...unknown] };
}
