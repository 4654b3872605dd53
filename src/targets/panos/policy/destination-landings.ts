import type { TreeNode } from "../../../core/tree/node.js";
import type { FlowSet, Verdict } from "../../../reachability/flows/policy.js";
import type { DestinationLandings, Landing } from "../../../reachability/policy-role.js";
import { walkIn } from "./forwarding-paths.js";
import { LandingVersion } from "./landing-version.js";
import { isOfIpv4 } from "./nat-pieces.js";
import type { ReadingOptions } from "./reading.js";
import type { EffectiveSystem } from "./systems.js";
import { destinationRules } from "./translated-flows.js";

/** Returns the results of NAT and routes for flows whose destination NAT may translate. Undefined if no NAT rule may. */
export function destinationLandings(
  root: TreeNode,
  system: EffectiveSystem,
  flows: FlowSet,
  options: ReadingOptions,
): DestinationLandings | undefined {
  // NAT rules match the zone of the original destination, which the question does not name.
  const rules = destinationRules(system, { ...flows, zones: { ...flows.zones, to: "any" } }, options);
  if (rules.length === 0) return undefined;
  const walk = walkIn(root, system, options);
  const other = walk.natRules.filter(({ rule }) => rules.includes(rule.name ?? "") && !isOfIpv4(rule)).map(({ rule }) => rule.name);
  const learned = walk.routes.routers.filter(({ learns }) => learns.length > 0);
  const unknown = [
    ...other.map((name) => `NAT rule ${name} translates IPv6`),
    ...walk.forwarding.map((name) => `rule "${name}" of policy-based forwarding may send it elsewhere`),
    ...learned.map(({ name, learns }) => `router ${name} learns routes by ${learns.join(", ")}`),
  ];
  const landings = new Map<Verdict, Landing>();
  try {
    return { rules, policy: new LandingVersion(walk, landings).policy(), landings, unknown };
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    return { rules, policy: undefined, landings, unknown: [...unknown, error.message] };
  }
}
