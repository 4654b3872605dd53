import type { Where } from "../../../core/errors.js";
import { childByTag } from "../../../core/tree/lookup.js";
import type { TreeNode } from "../../../core/tree/node.js";
import type { Translation } from "../../../outcome/reach.js";
import { listed } from "../../../outcome/shorten-list.js";
import type { AddressRange, Named, Unknown } from "../../../reachability/flows/policy.js";
import { isDisabled, textOf } from "../security-rule.js";
import type { Addresses } from "./addresses.js";
import { meantFor } from "./conditions.js";
import { containsAddress, containsService, type Holding, rangesOf } from "./contains-value.js";
import { type Host, hostAt } from "./host.js";
import { matchedBy, membersOf } from "./name-scopes.js";
import type { Interpretation, Reading } from "./reading.js";
import { type Names, ruleAt, rulesOf } from "./rules.js";
import type { EffectiveSystem, RuleLayer } from "./systems.js";

/** A flow before NAT. `to` and `interface` belong to its original destination. */
export interface NatFlow {
  readonly from: string;
  readonly to: string;
  readonly interface: string | undefined;
  readonly source: Host;
  readonly destination: Host;
  readonly protocol: number;
  readonly port: number;
}

/** Result of NAT for a flow under these conditions. */
export interface Translated {
  readonly conditions: readonly string[];
  /** Undefined if no rule matches. */
  readonly translation: Translation | undefined;
  /** Destinations after NAT: one address if it is known, empty if it is unknown. */
  readonly destinations: readonly Host[];
  /** Reason why the flow was not followed further. */
  readonly ends?: string | undefined;
}

export interface NatRule {
  readonly rule: TreeNode;
  readonly layer: RuleLayer;
}

export interface ReverseRule extends NatRule {
  readonly isWayBack: boolean;
}

/** NAT of a virtual system. */
interface NatReading {
  readonly natRules: readonly NatRule[];
  readonly reverseRules: readonly ReverseRule[];
  readonly names: Names;
  readonly reading: Reading;
}

/** Maximum number of possible destinations to follow individually. */
const MOST_DESTINATIONS = 16;
/** Maximum number of rules with an unknown match that are followed both ways. */
const MOST_OPEN = 6;

/** Returns the NAT rules that may apply to a flow: the first certain match, and the rules above it whose match is unknown. */
export function translationsOf(flow: NatFlow, { reverseRules, names, reading }: NatReading): Translated[] {
  const found: Translated[] = [];
  const passed: string[] = [];
  for (const each of reverseRules) {
    const match = each.isWayBack ? reverse(each.rule, flow, names, reading.assumed) : forward(each.rule, flow, names);
    const holding = holdingOf(each, match);
    if (match === undefined || holding === false) continue;
    const { name: rule = "" } = each.rule;
    if (holding !== true && found.length === MOST_OPEN) {
      const ends = `which NAT rule it meets is not known: more than ${MOST_OPEN} may match`;
      return [...found, { conditions: passed, translation: undefined, destinations: [], ends }];
    }
    const open = holding === true ? [] : [`NAT rule "${rule}" matches: ${wordsOf(holding)}`];
    found.push({ conditions: [...passed, ...open], ...match.made(reading.where(ruleAt(each.layer.path, "nat", each.rule))) });
    if (holding === true) return found;
    passed.push(`NAT rule "${rule}" does not match: ${wordsOf(holding)}`);
  }
  return [...found, { conditions: passed, translation: undefined, destinations: [flow.destination] }];
}

/** Returns the enabled NAT rules. */
export function natRulesOf({ layers }: Pick<EffectiveSystem, "layers">): readonly NatRule[] {
  return layers.flatMap((layer) =>
    rulesOf(layer, "nat")
      .filter((rule) => !isDisabled(rule))
      .map((rule) => ({ rule, layer })),
  );
}

/** Returns the rules and their reverse directions in the assumed order of evaluation. */
export function reverseRulesOf(rules: readonly NatRule[], { wayBackPlace }: Interpretation): readonly ReverseRule[] {
  const forward = (each: NatRule): ReverseRule => ({ ...each, isWayBack: false });
  const back = (each: NatRule): ReverseRule[] => (worksBothWays(each.rule) === undefined ? [] : [{ ...each, isWayBack: true }]);
  if (wayBackPlace === "behind its rule") return rules.flatMap((each) => [forward(each), ...back(each)]);
  return [...rules.map(forward), ...rules.flatMap(back)];
}

/** Describes the assumption about the reverse direction of these rules. */
export function formatReverseNat(rules: readonly NatRule[], { wayBackPlace, wayBackFrom }: Interpretation): string {
  const named = listed(
    rules.map(({ rule }) => rule.name ?? ""),
    3,
  );
  const place = wayBackPlace === "behind its rule" ? "right behind each" : wayBackPlace;
  const from = wayBackFrom === "any zone" ? wayBackFrom : "what comes from the zones that each sends to";
  return `The reverse rules of bidirectional NAT rules (${named}) are assumed to be ${place}, for ${from} [?].`;
}

/**
 * Returns doubts about reverse directions that may apply to a flow, at any position and for any zone. A reverse direction behind a rule
 * that certainly matches has no effect.
 */
export function wayBackDoubts(flow: NatFlow, { natRules: rules, names, reading: { assumed } }: NatReading): string[] {
  const open = rules.filter(({ rule }) => {
    const fixed = worksBothWays(rule);
    return (
      fixed !== undefined && isAbout(rule, flow) === true && containsAddress(outsideOf(fixed, names), flow.destination.number) !== false
    );
  });
  const [first] = open;
  if (first === undefined) return [];
  const above = rules.slice(0, rules.indexOf(first) + 1);
  return above.some((each) => holdingOf(each, forward(each.rule, flow, names)) === true) ? [] : [formatReverseNat(open, assumed)];
}

function holdingOf({ rule, layer }: NatRule, match: Match | undefined): Holding {
  const target = layer.level === "local" ? true : meantFor(rule, undefined);
  return all([typeof target === "boolean" ? target : [target], match?.holding ?? false]);
}

interface Match {
  readonly holding: Holding;
  readonly made: (where: Where) => Pick<Translated, "translation" | "destinations">;
}

function forward(rule: TreeNode, flow: NatFlow, names: Names): Match {
  const { addresses } = names;
  const side = (tag: "source" | "destination") => {
    const matched = matchedBy(rule, tag);
    return matched === "any" ? true : any(matched.map((name) => containsAddress(addresses.named(name), flow[tag].number)));
  };
  return {
    holding: all([
      isAbout(rule, flow),
      zone(rule, "from", flow.from),
      zone(rule, "to", flow.to),
      leaves(rule, flow),
      side("source"),
      side("destination"),
      serves(rule, flow, names),
    ]),
    made: (where) => {
      const { words, destinations, port } = destinationOf(rule, flow, addresses);
      const translation = { rule: rule.name ?? "", where, source: sourceOf(rule, flow, addresses), destination: words, port };
      return { translation, destinations };
    },
  };
}

/** The reverse direction of a bidirectional static source translation: it sends traffic for the translated address to the source. */
function reverse(rule: TreeNode, flow: NatFlow, names: Names, { wayBackFrom }: Interpretation): Match | undefined {
  const fixed = worksBothWays(rule);
  if (fixed === undefined || (wayBackFrom === "its zones" && !zone(rule, "to", flow.from))) return undefined;
  const { addresses } = names;
  const outside = outsideOf(fixed, names);
  const inside = membersOf(rule, "source") ?? [];
  return {
    holding: all([isAbout(rule, flow), containsAddress(outside, flow.destination.number)]),
    made: (where) => {
      const mapped = inside.length === 1 ? mapTo(flow.destination, outside, addresses.named(inside[0] ?? "")) : undefined;
      const translation = { rule: `${rule.name} (the way back)`, where, destination: mapped?.text ?? inside.join(", ") };
      return { translation, destinations: mapped === undefined ? [] : [mapped] };
    },
  };
}

/** Returns the static translation if it is bidirectional. */
export function worksBothWays(rule: TreeNode): TreeNode | undefined {
  const fixed = child(child(rule, "source-translation"), "static-ip");
  return fixed !== undefined && textOf(fixed, "bi-directional") === "yes" ? fixed : undefined;
}

/** Returns the public address of a translation. */
export function outsideOf(fixed: TreeNode, { addresses }: Pick<Names, "addresses">): Named<AddressRange> {
  return addresses.named(textOf(fixed, "translated-address") ?? "");
}

/** IPv4 rules do not match IPv6. Rules between IPv4 and IPv6 are not modelled, and may match any IPv6. */
function isAbout(rule: TreeNode, { source, destination }: NatFlow): Holding {
  const type = textOf(rule, "nat-type") ?? "ipv4";
  const isIpv6 = source.isIpv6 || destination.isIpv6;
  if (type === "ipv4") return !isIpv6;
  return isIpv6 ? [{ kind: "nat", definition: type, name: `its type is ${type}`, reason: "it is not modelled" }] : false;
}

function zone(rule: TreeNode, tag: "from" | "to", name: string): boolean {
  const zones = matchedBy(rule, tag);
  return zones === "any" || zones.includes(name);
}

function leaves(rule: TreeNode, flow: NatFlow): Holding {
  const wanted = textOf(rule, "to-interface") ?? "any";
  if (wanted === "any" || wanted === "") return true;
  if (flow.interface !== undefined) return wanted === flow.interface;
  return [{ kind: "interface", definition: wanted, name: `it would leave by ${wanted}`, reason: "no interface was found" }];
}

function serves(rule: TreeNode, { protocol, port }: NatFlow, { services }: Names): Holding {
  const name = textOf(rule, "service") ?? "any";
  return name === "any" || name === "" ? true : containsService(services.named(name), protocol, port);
}

function sourceOf(rule: TreeNode, flow: NatFlow, addresses: Addresses): string | undefined {
  const kind = childByTag(rule, "source-translation")?.children.find(({ tag }) => !NOT_A_KIND.has(tag));
  if (kind === undefined) return undefined;
  if (kind.tag === "static-ip") {
    const inside = membersOf(rule, "source") ?? [];
    const outside = textOf(kind, "translated-address") ?? "";
    const mapped = inside.length === 1 ? mapTo(flow.source, addresses.named(inside[0] ?? ""), addresses.named(outside)) : undefined;
    return mapped?.text ?? outside;
  }
  const own = childByTag(kind, "interface-address");
  if (own === undefined) return (membersOf(kind, "translated-address") ?? []).join(", ");
  return textOf(own, "ip")?.split("/")[0] ?? textOf(own, "floating-ip") ?? `the address of ${textOf(own, "interface") ?? "its interface"}`;
}

const NOT_A_KIND = new Set(["none"]);

interface Destination {
  readonly words: string | undefined;
  readonly destinations: readonly Host[];
  readonly port: number | undefined;
}

function destinationOf(rule: TreeNode, flow: NatFlow, addresses: Addresses): Destination {
  const translation = childByTag(rule, "destination-translation") ?? childByTag(rule, "dynamic-destination-translation");
  const name = translation === undefined ? undefined : textOf(translation, "translated-address");
  const text = translation === undefined ? undefined : textOf(translation, "translated-port");
  const port = text === undefined ? undefined : Number(text);
  const ported = (host: string) => (port === undefined ? host : host.includes(":") ? `[${host}]:${port}` : `${host}:${port}`);
  if (name === undefined)
    return { words: port === undefined ? undefined : ported(flow.destination.text), destinations: [flow.destination], port };
  const object = addresses.named(name);
  const before = matchedBy(rule, "destination");
  const matched = before === "any" ? [] : before.map((each) => addresses.named(each));
  const from = matched.find((each) => containsAddress(each, flow.destination.number) === true);
  const mapped = translation?.tag === "destination-translation" && from !== undefined ? mapTo(flow.destination, from, object) : undefined;
  const destinations = mapped === undefined ? oneByOne(rangesOf(object)) : [mapped];
  const [only, ...more] = destinations;
  return { words: ported(only !== undefined && more.length === 0 ? only.text : name), destinations, port };
}

/** Ranges of equal size are translated address by address. A single target address applies to all. */
function mapTo(host: Host, from: Named<AddressRange>, to: Named<AddressRange>): Host | undefined {
  const target = rangesOf(to);
  const [first, ...more] = target ?? [];
  if (first === undefined || more.length > 0) return undefined;
  if (first.first === first.last) return hostAt(first.first);
  const range = rangesOf(from)?.find((each) => each.first <= host.number && host.number <= each.last);
  if (range === undefined || range.last - range.first !== first.last - first.first) return undefined;
  return hostAt(first.first + (host.number - range.first));
}

/** Returns all addresses of the ranges. Empty if there are too many, or if the ranges are unknown. */
function oneByOne(ranges: readonly AddressRange[] | undefined): Host[] {
  const total = (ranges ?? []).reduce((sum, { first, last }) => sum + (last - first + 1n), 0n);
  if (ranges === undefined || total > BigInt(MOST_DESTINATIONS)) return [];
  return ranges.flatMap(({ first, last }) => Array.from({ length: Number(last - first) + 1 }, (_, at) => hostAt(first + BigInt(at))));
}

function all(parts: readonly Holding[]): Holding {
  if (parts.includes(false)) return false;
  const open = parts.flatMap((part) => (typeof part === "boolean" ? [] : part));
  return open.length === 0 ? true : open;
}

function any(parts: readonly Holding[]): Holding {
  if (parts.includes(true)) return true;
  const open = parts.flatMap((part) => (typeof part === "boolean" ? [] : part));
  return open.length === 0 ? false : open;
}

function wordsOf(unknowns: readonly Unknown[]): string {
  const words = new Set(
    unknowns.map(({ name, kind, reason }) => (kind === "nat" || kind === "interface" ? name : `${name} (${kind}): ${reason}`)),
  );
  return [...words].join("; ");
}

function child(node: TreeNode | undefined, tag: string): TreeNode | undefined {
  return node === undefined ? undefined : childByTag(node, tag);
}
