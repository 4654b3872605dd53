import { PlumblineError } from "../../../core/errors.js";
import { literalService } from "../../../core/service-range.js";
import type { TreeNode } from "../../../core/tree/node.js";
import { suggest } from "../../../desired/suggest.js";
import type { AddressRange, FlowSet, Match, Named, ServiceRange, Unknown } from "../../../reachability/flows/policy.js";
import type { FlowQuestion } from "../../../reachability/policy-role.js";
import { Addresses, fqdnOf, isHostName } from "./addresses.js";
import { Applications } from "./applications.js";
import { usersIn } from "./conditions.js";
import { NameScopes } from "./name-scopes.js";
import { Reading, type ReadingOptions } from "./reading.js";
import { Services } from "./services.js";
import { allZonesOf, type EffectiveSystem, systemsIn } from "./systems.js";
import { onDefaultTypes } from "./traffic.js";

/** Returns the flows that a question describes in one virtual system or device group. Throws `flow-not-understood`. */
export function flowsOf(root: TreeNode, scope: string, question: FlowQuestion, options: ReadingOptions = {}): FlowSet {
  const systems = systemsIn(root, new Reading(options).assumed.precedence);
  return flowsIn(
    systems.find((each) => each.scope === scope),
    question,
    options,
  );
}

/**
 * Returns the flows that a question describes in a rulebase. A missing rulebase is undefined.
 *
 * @param inUse Applications that rules name. An application container of the question may contain some of them.
 * @throws PlumblineError `flow-not-understood`
 */
export function flowsIn(
  system: EffectiveSystem | undefined,
  question: FlowQuestion,
  options: ReadingOptions = {},
  inUse: ReadonlySet<string> = new Set(),
): FlowSet {
  const reading = new Reading(options);
  const all = system === undefined ? undefined : allZonesOf(system);
  const scopes = new NameScopes(system?.names ?? []);
  const [addresses, services] = [new Addresses(scopes, reading), new Services(scopes, reading)];
  const applications = new Applications(scopes, reading, inUse);
  const known = <Value>(kind: string, names: readonly string[], named: (name: string) => Named<Value>): Match<Value> =>
    names.length === 0 ? "any" : { negated: false, objects: names.map((name) => understood(kind, name, named(name))) };
  const asked = known("application", question.application, (name) => applications.named(name));
  const service = known("service", question.service, (name) => namedLiteral(name) ?? services.named(name));
  const isRequest = question.isRequest === true;
  const address = (name: string): Named<AddressRange> => {
    const found = addresses.named(name);
    const isFqdn = isRequest && isHostName(name) && found.unknowns.some(isUnresolved);
    return isFqdn ? { ...found, unknowns: [fqdnOf(name)] } : found;
  };
  return {
    zones: { type: "universal", from: zones(question.from, all), to: zones(question.to, all) },
    source: known("address", question.source, address),
    destination: known("address", question.destination, address),
    traffic:
      isRequest && asked !== "any" ? onDefaultTypes(asked.objects, service, applications) : [{ applications: asked, services: service }],
    users: usersIn(question.user === undefined || question.user.length === 0 ? "any" : question.user, scopes),
    conditions: [],
  };
}

function zones(names: readonly string[], all: readonly string[] | undefined): "any" | readonly string[] {
  if (names.length === 0) return "any";
  const unknown = names.find((name) => all !== undefined && !all.includes(name));
  if (unknown !== undefined) throw notUnderstood("zone", unknown, suggest(unknown, [...(all ?? [])]));
  return names;
}

function understood<Value>(kind: string, name: string, named: Named<Value>): Named<Value> {
  if (!named.unknowns.some(isUnresolved)) return named;
  throw notUnderstood(kind, name, NEXT[kind]);
}

const isUnresolved = ({ kind }: Unknown): boolean => kind === "unresolved name";

const NEXT: Readonly<Record<string, string>> = {
  service: "Write tcp/443, udp/53, or the name of a service.",
  address: "Write an address, a network, or the name of an object.",
  application: "Neither the configuration nor the device defines it. Correct the name.",
};

function namedLiteral(text: string): Named<ServiceRange> | undefined {
  const values = literalService(text);
  return values === undefined ? undefined : { id: text, name: text, values, members: [], unknowns: [] };
}

function notUnderstood(kind: string, name: string, next: string | undefined): PlumblineError {
  return new PlumblineError("flow-not-understood", `There is no ${kind} "${name}" in this rulebase.`, { next });
}
