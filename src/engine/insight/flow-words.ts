import type { Model } from "../../insight/compile.js";
import type { Region, StatedLiteral } from "../../insight/region.js";
import type { FlowWords } from "../../outcome/insight.js";
import { type AddressNames, listed } from "./address-words.js";
import { serviceWords } from "./service-words.js";

const USERS = { known: "known users", unknown: "unknown users", "pre-logon": "users before logon" } as const;

interface Told {
  readonly coordinates: Pick<Model["coordinates"], "zones" | "applications" | "knowsApplications">;
}

/** A region in words: one line for each product of zones. */
export function flowWords(region: Region, { coordinates }: Told, names: AddressNames): FlowWords[] {
  const { unrestricted } = region;
  const rest = {
    source: unrestricted.has("source") ? "any" : names.words(region.source),
    destination: unrestricted.has("destination") ? "any" : names.words(region.destination),
    service: unrestricted.has("service") ? portsWords("any", region) : portsWords(serviceWords(region.services), region),
    application: applicationWords(region, coordinates),
    user: unrestricted.has("user") ? "any" : listed(region.users.map((state) => USERS[state])),
  };
  if (unrestricted.has("zones")) return [{ from: "any", to: "any", ...rest }];
  return region.zones.map(({ from, to }) => ({ from: fewest(from, coordinates.zones), to: fewest(to, coordinates.zones), ...rest }));
}

function applicationWords({ unrestricted, applications }: Region, { knowsApplications, applications: all }: Told["coordinates"]): string {
  if (!knowsApplications) return "";
  return unrestricted.has("application") ? "any" : fewest(applications, all);
}

function portsWords(service: string, { sourcePorts, unrestricted }: Region): string {
  if (unrestricted.has("sourcePort")) return service;
  return `${service} from port ${listed(sourcePorts.map(({ first, last }) => (first === last ? `${first}` : `${first}-${last}`)))}`;
}

/** Names, or those that are left out where these are fewer. */
function fewest(names: readonly string[], all: readonly string[]): string {
  if (names.length === all.length) return "any";
  if (names.length <= all.length / 2) return listed(names);
  const held = new Set(names);
  return `any but ${listed(all.filter((name) => !held.has(name)))}`;
}

/** What must hold of a flow: "the destination is in db.example.org (FQDN)". Of two contents of one name each is told. */
export function conditionWords(literals: readonly StatedLiteral[]): string {
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
  // A circumstance that is said as a sentence: "the port is the application's default".
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
