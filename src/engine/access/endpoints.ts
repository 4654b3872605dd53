import type { AccessRequest, Endpoint } from "../../access/request.js";
import { addressRange } from "../../core/address-range.js";
import { PlumblineError } from "../../core/errors.js";
import { literalService, protocolWithPorts } from "../../core/service-range.js";
import { suggest } from "../../desired/suggest.js";
import type { AccessWords } from "../../outcome/access.js";
import type { FlowSet, Policy, Unknown } from "../../reachability/flows/policy.js";
import { addressesOf } from "../../reachability/format/format-addresses.js";
import type { FlowQuestion, Rulebase } from "../../reachability/policy-role.js";
import { type TranslatedZone, translatedZone } from "./translated-zone.js";

/** Reason why a request is refused before any edit is designed, as a sentence. */
export class AccessRefused extends Error {
  override readonly name = "AccessRefused";
}

function refuse(why: string): never {
  throw new AccessRefused(why);
}

/** A request whose names, zones and flows are known in one rulebase. */
export interface ResolvedRequest {
  readonly request: AccessRequest;
  readonly flows: FlowSet;
  readonly question: FlowQuestion;
  readonly notes: readonly string[];
}

const EVERY: readonly { readonly first: bigint; readonly last: bigint }[] = ["0.0.0.0/0", "::/0"].flatMap(
  (text) => addressRange(text) ?? [],
);

/** Finds zones and flows of a request. Throws `AccessRefused`. */
export function resolveRequest(
  words: AccessWords,
  note: string,
  rulebase: Rulebase,
  policy: Policy,
  { anyApplication = false }: { readonly anyApplication?: boolean } = {},
): ResolvedRequest {
  const { service, application, user } = words;
  const isAny = anyApplication && application === "any";
  for (const [flag, value] of Object.entries({
    from: words.from,
    to: words.to,
    service,
    ...(isAny ? {} : { application }),
    ...(user === undefined ? {} : { user }),
  }))
    if (value === "any" || value === "") refuse(`--${flag} any: an access request names its flows.`);
  const [word, types] = service.split("/");
  if (types !== undefined && literalService(service)?.some(({ protocol }) => protocolWithPorts(protocol) === undefined) === true)
    refuse(`"${service}": rules match ICMP types and other protocols only by the application. Write ${word}.`);
  const from = endpoint(words.from, words.fromZone, "from", rulebase, policy);
  const question = {
    from: [from.zone],
    to: [],
    source: from.address === undefined ? [] : [from.address],
    destination: addressWord(words.to, rulebase, policy),
    service: [service],
    application: isAny ? [] : [application],
    user: user === undefined ? [] : [user],
    isRequest: true,
  };
  const isAddress = question.destination.length > 0;
  const translated = isAddress
    ? translatedZone(
        rulebase,
        understood(() => rulebase.flows(0, question)),
      )
    : undefined;
  const { to, notes } = destination(words, translated, rulebase, policy);
  const resolved = { ...question, to: [to.zone], destination: to.address === undefined ? [] : [to.address] };
  const flows = understood(() => rulebase.flows(0, resolved));
  return { request: { from, to, service, application, user, note }, flows, question: resolved, notes: [...notes, ...limitsOf(flows)] };
}

/** Returns a note for each condition of the requested flows. */
function limitsOf({ traffic, source, destination, users }: FlowSet): string[] {
  const types = traffic.flatMap(({ conditions = [] }) => conditions.flatMap((anyOf) => anyOf.map(({ unknown }) => unknown.name)));
  const unknown = [...unknownsOf(source), ...unknownsOf(destination)].map(({ name }) => name);
  return [
    ...[...new Set(types)].map((name) => `The request is limited to flows of which ${name}, as the application defines it.`),
    ...[...new Set(unknown)].map(
      (name) => `Plumbline does not know the addresses of ${name}. Rules for other names or addresses may already match some of them.`,
    ),
    ...(users === "any" ? [] : users.unknowns).map(
      ({ name }) => `Plumbline does not know in which groups ${name} is. Rules for groups may already match some of these flows.`,
    ),
  ];
}

function unknownsOf(match: FlowSet["source"]): readonly Unknown[] {
  const objects = new Set(match === "any" ? [] : match.objects);
  for (const { members } of objects) for (const member of members) objects.add(member);
  return [...objects].flatMap(({ unknowns }) => unknowns);
}

/** The word of an address, without those of zones and unknown names, which `endpoint` reports. */
function addressWord(text: string, rulebase: Rulebase, policy: Policy): readonly string[] {
  const plain = text.replace(/^address:/, "");
  return text.startsWith("zone:") || (plain === text && policy.zones.includes(text)) || addressIn(plain, rulebase) === undefined
    ? []
    : [plain];
}

/** Finds the zone of the destination: the one after NAT, which rules match together with the address before NAT. */
function destination(
  words: AccessWords,
  translated: TranslatedZone | undefined,
  rulebase: Rulebase,
  policy: Policy,
): { readonly to: Endpoint; readonly notes: readonly string[] } {
  if (translated === undefined) return { to: endpoint(words.to, words.toZone, "to", rulebase, policy), notes: [] };
  const { rules, zones, unknown } = translated;
  const [zone, ...others] = zones;
  const asked = words.toZone;
  if (asked !== undefined && unknown.length === 0 && (zone !== asked || others.length > 0))
    refuse(`${rules}: the destination is in ${zones.join(" and ")} after NAT, and --to-zone is ${asked}.`);
  if (asked === undefined && unknown.length > 0)
    refuse(`${rules}: the zone after NAT is not known, because ${unknown.join("; ")}. Set --to-zone.`);
  if (asked === undefined && others.length > 0)
    refuse(`${rules}: NAT sends parts of "${words.to}" to several zones: ${zones.join(", ")}. Make a request for each.`);
  const known = asked ?? zone;
  const doubts =
    asked === undefined || unknown.length === 0 ? [] : [`Whether NAT sends it to zone ${asked} is not known: ${unknown.join("; ")}.`];
  const note = `${rules}: the address is the one before NAT, and the zone ${known} is the one after NAT, as rules match them.`;
  return { to: endpoint(words.to, known, "to", rulebase, policy), notes: [note, ...doubts] };
}

function understood<Found>(find: () => Found): Found {
  try {
    return find();
  } catch (error) {
    if (error instanceof PlumblineError && error.code === "flow-not-understood")
      return refuse([error.message, error.next ?? ""].join(" ").trim());
    throw error;
  }
}

function endpoint(text: string, zone: string | undefined, flag: "from" | "to", rulebase: Rulebase, policy: Policy): Endpoint {
  const [, kind, plain = text] = /^(zone|address):(.*)$/.exec(text) ?? [];
  const isZone = kind !== "address" && policy.zones.includes(plain);
  const found = kind === "zone" ? undefined : addressIn(plain, rulebase);
  if (isZone && found !== undefined) refuse(`"${plain}" is a zone and an address object: write zone:${plain} or address:${plain}.`);
  if (isZone) {
    if (zone !== undefined && zone !== plain) refuse(`--${flag} is zone ${plain}, and --${flag}-zone is ${zone}.`);
    return { text, zone: plain, address: undefined };
  }
  if (found === undefined) {
    const next = suggest(plain, [...policy.zones]);
    refuse(`There is no zone, address or object "${plain}" in ${rulebase.scope}.${next === "" ? "" : ` ${next}`}`);
  }
  const ranges = found === "any" ? "any" : addressesOf(found);
  if (ranges === "any" || ranges?.some((range) => EVERY.some((all) => range.first <= all.first && range.last >= all.last)) === true)
    refuse(`"${plain}" is every address: name a zone or fewer addresses.`);
  if (ranges?.length === 0) refuse(`"${plain}" contains no address.`);
  if (zone !== undefined) {
    if (!policy.zones.includes(zone)) refuse(`There is no zone "${zone}" in ${rulebase.scope}. ${suggest(zone, [...policy.zones])}`.trim());
    return { text, zone, address: plain };
  }
  return { text, zone: zoneOf(plain, flag, rulebase), address: plain };
}

/** Undefined if neither an object nor a literal has this text. */
function addressIn(text: string, rulebase: Rulebase) {
  try {
    const { source } = rulebase.flows(0, {
      from: [],
      to: [],
      source: [text],
      destination: [],
      service: [],
      application: [],
      isRequest: true,
    });
    return source === "any" ? ("any" as const) : source.objects[0];
  } catch (error) {
    if (error instanceof PlumblineError && error.code === "flow-not-understood") return undefined;
    throw error;
  }
}

function zoneOf(text: string, flag: "from" | "to", rulebase: Rulebase): string {
  const { zones, unknown } = rulebase.zonesOf?.(0, text) ?? { zones: [], unknown: ["its target has no routes"] };
  const [zone, ...others] = zones;
  const next = `Set --${flag}-zone.`;
  if (others.length > 0) refuse(`"${text}" is in several zones: ${zones.join(", ")}. Make a request for each, or set --${flag}-zone.`);
  if (unknown.length > 0) refuse(`The zone of "${text}" is not known: ${unknown.join("; ")}. ${next}`);
  return zone ?? refuse(`"${text}" is in no zone of ${rulebase.scope}. ${next}`);
}
