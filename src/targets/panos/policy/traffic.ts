import type { TreeNode } from "../../../core/tree/node.js";
import type { AnyOf, Match, ServiceRange, Traffic, Unknown } from "../../../reachability/flows/policy.js";
import type { DefaultService } from "../../../reachability/policy-role.js";
import type { Application, Applications } from "./applications.js";
import { matchedBy } from "./name-scopes.js";
import type { Services } from "./services.js";

/** Value of `service` for the default ports of the application. */
export const AT_HOME = "application-default";

/** Condition that a session uses a default port of its application. */
const ON_DEFAULT_PORT: Unknown = {
  kind: "default port",
  definition: "of the application",
  name: "the port is the application's default",
  reason: "default ports of the device's own applications were not read",
};

/** Kind of the condition that a session has one ICMP type. */
const ICMP_TYPE = "ICMP type";

const ICMP6 = 58;

/** Returns the conditions of default services: an ICMP type, which services do not distinguish. */
function conditionsOf([first]: readonly DefaultService[]): readonly AnyOf[] {
  if (first?.icmpType === undefined) return [];
  const [type, code] = first.icmpType.split("/");
  const word = first.protocol === ICMP6 ? "ICMPv6" : "ICMP";
  const unknown: Unknown = {
    kind: ICMP_TYPE,
    definition: `${word} ${first.icmpType}`,
    name: `the ${word} type is ${type}${code === undefined ? "" : `, code ${code}`}`,
    reason: "types of ICMP are not distinguished",
  };
  return [[{ unknown, holds: true }]];
}

/**
 * Limits the traffic of a question to the default ICMP types of its applications. Rules that match applications on their defaults match no
 * other type.
 */
export function onDefaultTypes(
  objects: readonly Application[],
  services: Match<ServiceRange>,
  applications: Applications,
): readonly Traffic[] {
  const protocols = new Set(services === "any" ? [] : services.objects.flatMap(({ values }) => values.map(({ protocol }) => protocol)));
  const { classes, others } = byDefaults([...leavesOf(objects)], applications);
  const hasType = ([first]: readonly DefaultService[]) => first?.icmpType !== undefined && protocols.has(first.protocol);
  const typed = classes.filter(({ ports }) => hasType(ports));
  if (typed.length === 0) return [{ applications: of(objects), services }];
  const rest = [...others, ...classes.filter((each) => !typed.includes(each)).flatMap((each) => each.leaves)];
  return [
    ...typed.map(({ ports, leaves }): Traffic => ({ applications: of(leaves), services, conditions: conditionsOf(ports) })),
    ...(rest.length === 0 ? [] : [{ applications: of(rest), services }]),
  ];
}

/** Returns the applications and services of a rule. `application-default` results in one part per set of default ports. */
export function trafficOf(rule: TreeNode, applications: Applications, services: Services): readonly Traffic[] {
  const names = matchedBy(rule, "application");
  const objects = names === "any" ? undefined : names.map((name) => applications.named(name));
  const matched = objects === undefined ? "any" : { negated: false, objects };
  const declared = matchedBy(rule, "service");
  if (declared === "any") return anyService(objects, applications);
  const plain = declared.filter((name) => name !== AT_HOME).map((name) => services.named(name));
  const parts: Traffic[] = plain.length === 0 ? [] : [{ applications: matched, services: { negated: false, objects: plain } }];
  return declared.includes(AT_HOME) ? [...parts, ...atHome(objects, applications)] : parts;
}

/** Returns the traffic of a rule with service any. Applications without ports match only their protocols. */
function anyService(objects: readonly Application[] | undefined, applications: Applications): Traffic[] {
  if (objects === undefined) return [{ applications: "any", services: "any" }];
  const without = [...leavesOf(objects)].filter((leaf) => applications.onlyServices(leaf) !== undefined);
  if (without.length === 0) return [{ applications: of(objects), services: "any" }];
  const isPlain = (object: Application): boolean => ![...leavesOf([object])].some((leaf) => without.includes(leaf));
  const others = [
    ...objects.filter(isPlain),
    ...[...leavesOf(objects.filter((object) => !isPlain(object)))].filter((leaf) => !without.includes(leaf)),
  ];
  const services = portsOf(
    "ICMP",
    without.flatMap((leaf) => applications.onlyServices(leaf) ?? []),
  );
  return [
    { applications: of(without), services },
    ...(others.length === 0 ? [] : [{ applications: of(others), services: "any" as const }]),
  ];
}

function atHome(objects: readonly Application[] | undefined, applications: Applications): Traffic[] {
  const leaves = objects === undefined ? [...applications.custom.keys()].map((name) => applications.named(name)) : [...leavesOf(objects)];
  const { classes, others } = byDefaults(leaves, applications);
  const known = classes.map(({ ports, leaves: own }): Traffic => {
    const plain: Traffic = { applications: of(own), services: portsOf("the default port", ports) };
    const limits = conditionsOf(ports);
    return limits.length === 0 ? plain : { ...plain, conditions: limits };
  });
  const conditions = [[{ unknown: ON_DEFAULT_PORT, holds: true }]];
  if (objects !== undefined) return others.length === 0 ? known : [...known, { applications: of(others), services: "any", conditions }];
  const read = classes.flatMap((each) => each.leaves);
  return [...known, { applications: { negated: true, objects: read }, services: "any", conditions }];
}

interface DefaultClass {
  readonly ports: readonly DefaultService[];
  readonly leaves: Application[];
}

/** Groups applications by their defaults. `others` have unknown ones. */
function byDefaults(
  leaves: readonly Application[],
  { custom }: Applications,
): { readonly classes: readonly DefaultClass[]; readonly others: readonly Application[] } {
  const classes = new Map<string, DefaultClass>();
  const others: Application[] = [];
  for (const leaf of leaves) {
    const ports = custom.get(leaf.values[0] ?? "");
    if (ports === undefined) {
      others.push(leaf);
      continue;
    }
    const key = JSON.stringify(ports);
    const known = classes.get(key) ?? { ports, leaves: [] };
    classes.set(key, known);
    known.leaves.push(leaf);
  }
  return { classes: [...classes.values()], others };
}

const of = (objects: readonly Application[]) => ({ negated: false, objects });

function portsOf(text: string, values: readonly ServiceRange[]) {
  const key = values.map(({ protocol, first, last }) => `${protocol}/${first}-${last}`).join();
  return { negated: false, objects: [{ id: `default ${key}`, name: text, values, members: [], unknowns: [] }] };
}

function leavesOf(objects: readonly Application[]): ReadonlySet<Application> {
  const all = new Set(objects);
  for (const { members } of all) for (const member of members) all.add(member);
  return new Set([...all].filter(({ values, unknowns }) => values.length > 0 || unknowns.length > 0));
}
