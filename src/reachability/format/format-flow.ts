import type { FlowSets, FlowWords } from "../../outcome/insight.js";
import type { Model } from "../flows/compile.js";
import { OTHER_APPLICATION } from "../flows/coordinates.js";
import type { AddressRange } from "../flows/policy.js";
import type { Region, StatedLiteral } from "../flows/region.js";
import type { WidePart } from "../flows/rows.js";
import { type AddressNames, addressText } from "./format-addresses.js";
import { formatServices } from "./format-services.js";

const USERS = { known: "known users", unknown: "unknown users", "pre-logon": "users before logon" } as const;

export interface TextOptions {
  readonly coordinates: Pick<Model["coordinates"], "zones" | "applications" | "knowsApplications">;
}

/**
 * Returns the flows of regions, each one once. Regions with the same flows differ in their conditions. If this gives flows different
 * conditions, each flow carries its own.
 */
export function pairedFlows(regions: readonly Region[], options: TextOptions, names: AddressNames): FlowWords[] {
  const flows = new Map<string, { readonly flow: FlowWords; readonly conditions: Set<string> }>();
  for (const region of regions) {
    for (const flow of formatFlows(region, options, names)) {
      const key = JSON.stringify(flow);
      const known = flows.get(key) ?? { flow, conditions: new Set() };
      flows.set(key, known);
      known.conditions.add(formatConditions(region.conditions));
    }
  }
  const all = [...flows.values()];
  if (new Set(all.map(({ conditions }) => JSON.stringify([...conditions].sort()))).size < 2) return all.map(({ flow }) => flow);
  // The text of no condition is empty: such a flow is certain.
  return all.map(({ flow, conditions }) => (conditions.has("") ? flow : { ...flow, conditions: [...conditions] }));
}

/** Returns the flows of a region that contains more than the changed flows, with the steps that decide which ones change. */
export function steppedFlows(
  { within, steps }: Pick<WidePart, "within" | "steps">,
  options: TextOptions,
  names: AddressNames,
): FlowWords[] {
  const decided = steps().flatMap(({ changes, region }) =>
    setsByZones(region, options).map((sets) => ({ changes, sets, ...conditionsOf(region) })),
  );
  return formatFlows(within, options, names).map((flow) => ({ ...flow, ...conditionsOf(within), steps: decided }));
}

const conditionsOf = ({ conditions }: Region): Pick<FlowWords, "conditions"> =>
  conditions.length === 0 ? {} : { conditions: [formatConditions(conditions)] };

/** Returns one line for each product of zones in a region. */
export function formatFlows(region: Region, { coordinates }: TextOptions, names: AddressNames): FlowWords[] {
  const { unrestricted } = region;
  const rest = {
    source: unrestricted.has("source") ? "any" : names.words(region.source),
    destination: unrestricted.has("destination") ? "any" : names.words(region.destination),
    service: unrestricted.has("service") ? portsWords("any", region) : portsWords(formatServices(region.services), region),
    application: applicationWords(region, coordinates),
    user: unrestricted.has("user") ? "any" : region.users.map((state) => USERS[state]).join(", "),
  };
  const shown = (zones: "any" | readonly string[]) => (zones === "any" ? "any" : fewest(zones, coordinates.zones));
  return setsByZones(region, { coordinates }).map((sets) => ({ from: shown(sets.from), to: shown(sets.to), ...rest, sets }));
}

function setsByZones(region: Region, { coordinates }: TextOptions): FlowSets[] {
  const sets = setsOf(region, coordinates.knowsApplications);
  if (region.unrestricted.has("zones")) return [{ from: "any", to: "any", ...sets }];
  return region.zones.map(({ from, to }) => ({ from, to, ...sets }));
}

function setsOf(region: Region, knowsApplications: boolean): Omit<FlowSets, "from" | "to"> {
  const { unrestricted } = region;
  const addresses = (ranges: readonly AddressRange[]) =>
    ranges.map(({ first, last }) => ({ first: addressText(first), last: addressText(last) }));
  return {
    source: unrestricted.has("source") ? "any" : addresses(region.source),
    destination: unrestricted.has("destination") ? "any" : addresses(region.destination),
    services: unrestricted.has("service") ? "any" : region.services,
    sourcePorts: unrestricted.has("sourcePort") ? "any" : region.sourcePorts,
    applications: unrestricted.has("application") || !knowsApplications ? "any" : region.applications,
    users: unrestricted.has("user") ? "any" : region.users,
  };
}

function applicationWords(
  { unrestricted, applications }: Region,
  { knowsApplications, applications: all }: TextOptions["coordinates"],
): string {
  if (!knowsApplications) return "";
  return unrestricted.has("application") ? "any" : fewest(applications, all);
}

function portsWords(service: string, { sourcePorts, unrestricted }: Region): string {
  if (unrestricted.has("sourcePort")) return service;
  return `${service} from port ${sourcePorts.map(({ first, last }) => (first === last ? `${first}` : `${first}-${last}`)).join(", ")}`;
}

/** Lists the names, or "any but" the missing ones if shorter. */
export function fewest(names: readonly string[], all: readonly string[]): string {
  if (names.length === all.length) return "any";
  const held = new Set(names);
  // "any but any other application" would be hard to read.
  const isNamed = all.includes(OTHER_APPLICATION) && !held.has(OTHER_APPLICATION);
  if (isNamed || names.length <= all.length / 2) return names.join(", ");
  return `any but ${all.filter((name) => !held.has(name)).join(", ")}`;
}

/** Formats conditions: "the destination is in db.example.org (FQDN)". If a name has two contents, adds the content. */
export function formatConditions(literals: readonly StatedLiteral[]): string {
  const names = literals.map(({ subject, unknown: { kind, name } }) => `${subject} ${kind} ${name}`);
  return literals
    .map((literal, at) => literalWords(literal, names.indexOf(names[at] ?? "") !== names.lastIndexOf(names[at] ?? "")))
    .join(", and ");
}

function literalWords({ subject, unknown, holds }: StatedLiteral, isTwofold: boolean): string {
  const { name } = unknown;
  const kind = isTwofold ? `${unknown.kind}, ${contentWords(unknown.definition)}` : unknown.kind;
  const not = holds ? "" : " not";
  if (subject === "source" || subject === "destination") return `the ${subject} is${not} in ${name} (${kind})`;
  // The name of a circumstance may be a sentence, such as "the port is the application's default".
  if (subject === "circumstance" && name.includes(" is ")) return holds ? name : name.replace(" is ", " is not ");
  if (subject === "circumstance") return `${name} (${kind}) ${holds ? "holds" : "does not hold"}`;
  return `the ${subject} is${not} ${name} (${kind})`;
}

/** Content in words: without the marks of XML that it may be written in. */
function contentWords(definition: string): string {
  return definition
    .replace(/<\/[^>]*>/g, "")
    .replace(/^<content>/, "")
    .replace(/[<>]+/g, " ")
    .trim();
}
