import type { Where } from "../../../core/errors.js";
import { childByTag } from "../../../core/tree/lookup.js";
import type { TreeNode } from "../../../core/tree/node.js";
import type { AddressRange, AnyOf, Literal, Match, Named, ServiceRange, Unknown } from "../../../reachability/flows/policy.js";
import { united } from "../../../reachability/format/format-addresses.js";
import type { Change } from "../../../reachability/policy-role.js";
import { textOf } from "../security-rule.js";
import { holds, meantFor } from "./conditions.js";
import { rangesOf } from "./contains-value.js";
import { ANY_IPV4 } from "./forwarding.js";
import type { Walk } from "./forwarding-paths.js";
import { hostOf } from "./host.js";
import { matchedBy, membersOf } from "./name-scopes.js";
import { outsideOf, worksBothWays } from "./nat.js";
import { ruleAt } from "./rules.js";
import type { RuleLayer } from "./systems.js";

/** Flows that an IPv4 NAT rule matches and translates in the same way. The pieces of a rule are in order. */
export interface Piece {
  readonly rule: TreeNode;
  readonly layer: RuleLayer;
  readonly origin: Where;
  readonly isWayBack: boolean;
  readonly zones: { readonly from: "any" | readonly string[]; readonly to: "any" | readonly string[] };
  /** Outgoing interface that the original destination must have. */
  readonly leaves: string | undefined;
  readonly from: Match<AddressRange>;
  readonly to: readonly AddressRange[];
  readonly service: Match<ServiceRange>;
  readonly conditions: readonly AnyOf[];
  readonly source: Change;
  readonly destination: Change;
  /** Undefined if the port is not translated. */
  readonly port: number | undefined;
}

type Base = Pick<Piece, "rule" | "layer" | "origin" | "conditions">;
type Address = Named<AddressRange>;

/** One side of a rule: addresses with the same translation, or with a condition that decides whether they match. */
interface Side {
  readonly ranges: readonly AddressRange[];
  readonly literal?: Literal;
  readonly change: Change;
}

export const STAYS: Change = { by: 0n };

/** Returns the enabled NAT rules and their reverse directions, in the order that `reach --as-sent` uses. */
export function piecesOf(walk: Walk): Piece[] {
  return walk.reverseRules
    .filter(({ rule }) => isOfIpv4(rule))
    .flatMap(({ rule, layer, isWayBack }) => {
      const base = baseOf(rule, layer, walk);
      return base === undefined ? [] : isWayBack ? backPieces(base, walk) : forwardPieces(base, walk);
    });
}

/** NAT between IPv4 and IPv6, and between IPv6 networks, is not modelled. */
export function isOfIpv4(rule: TreeNode): boolean {
  return (textOf(rule, "nat-type") ?? "ipv4") === "ipv4";
}

/** Returns the address names in a rule. */
export function namesIn(node: TreeNode): readonly string[] {
  return [node, ...node.children].flatMap((each) =>
    each.children.flatMap((child) => {
      if (child.tag === "translated-address") return child.text === "" ? child.children.map(({ text }) => text) : [child.text];
      if (child.tag === "source" || child.tag === "destination") return membersOf(each, child.tag) ?? [];
      return each === node ? [] : namesIn(child);
    }),
  );
}

function baseOf(rule: TreeNode, layer: RuleLayer, { reading }: Walk): Base | undefined {
  const target = layer.level === "local" ? true : meantFor(rule, undefined);
  if (target === false) return undefined;
  const binding = textOf(rule, "active-active-device-binding") ?? "both";
  const unknowns = [...(target === true ? [] : [target]), ...(binding === "both" ? [] : [bound(binding)])];
  return { rule, layer, origin: reading.where(ruleAt(layer.path, "nat", rule)), conditions: unknowns.map((each) => [holds(each)]) };
}

function bound(to: string): Unknown {
  const reason = "which device of a pair has a session is not known";
  return { kind: "device of a pair", definition: to, name: `device ${to} is the one of the pair that has it`, reason };
}

function forwardPieces(base: Base, walk: Walk): Piece[] {
  const { rule } = base;
  const { addresses, services } = walk.names;
  const service = textOf(rule, "service") ?? "any";
  const leaves = textOf(rule, "to-interface") ?? "any";
  const translation = childByTag(rule, "destination-translation");
  const dynamic = childByTag(rule, "dynamic-destination-translation");
  const text = textOf(translation ?? dynamic ?? rule, "translated-port");
  const name =
    translation === undefined && dynamic === undefined ? undefined : textOf((translation ?? dynamic) as TreeNode, "translated-address");
  const matched = matchedBy(rule, "destination");
  const objects = matched === "any" ? "any" : matched.map((each) => addresses.named(each));
  const target = name === undefined ? undefined : addresses.named(name);
  const isMapped = translation !== undefined && target !== undefined;
  const destinations = sidesOf(objects, target === undefined ? STAYS : oneOf([target]), isMapped ? target : undefined);
  const common = {
    ...base,
    isWayBack: false,
    zones: { from: matchedBy(rule, "from"), to: matchedBy(rule, "to") },
    leaves: leaves === "any" || leaves === "" ? undefined : leaves,
    service: service === "any" || service === "" ? ("any" as const) : { negated: false, objects: [services.named(service)] },
    port: text === undefined ? undefined : Number(text),
  };
  return sourcesOf(rule, walk).flatMap(({ match, change }) =>
    destinations.map((side) => ({ ...common, ...toSide(base, side), from: match, source: change, destination: side.change })),
  );
}

function toSide({ conditions }: Base, { ranges, literal }: Side): Pick<Piece, "to" | "conditions"> {
  return { to: ranges, conditions: literal === undefined ? conditions : [...conditions, [literal]] };
}

/** Returns the reverse direction of a bidirectional static translation. */
function backPieces(base: Base, { names, reading: { assumed } }: Walk): Piece[] {
  const fixed = worksBothWays(base.rule);
  if (fixed === undefined) return [];
  const outside = outsideOf(fixed, names);
  const inside = (membersOf(base.rule, "source") ?? []).map((name) => names.addresses.named(name));
  const [only, ...more] = inside;
  const target = more.length === 0 ? only : undefined;
  const unknown = { kind: "address", definition: base.rule.name ?? "", name: "which source it is", reason: "the rule names several" };
  const isOne = target !== undefined && singleOf(target) !== undefined;
  return sidesOf([outside], isOne ? oneOf([target]) : { ranges: [], unknowns: [unknown] }, target).map((side) => ({
    ...base,
    ...toSide(base, side),
    isWayBack: true,
    zones: { from: assumed.wayBackFrom === "any zone" ? "any" : matchedBy(base.rule, "to"), to: "any" },
    leaves: undefined,
    from: "any",
    service: "any",
    source: STAYS,
    destination: side.change,
    port: undefined,
  }));
}

function sourcesOf(rule: TreeNode, walk: Walk): { readonly match: Match<AddressRange>; readonly change: Change }[] {
  const { addresses } = walk.names;
  const matched = matchedBy(rule, "source");
  const match: Match<AddressRange> = matched === "any" ? "any" : { negated: false, objects: matched.map((name) => addresses.named(name)) };
  const kind = childByTag(rule, "source-translation")?.children.find(({ tag }) => tag !== "none");
  if (kind === undefined) return [{ match, change: STAYS }];
  if (kind.tag !== "static-ip") return [{ match, change: oneOf(poolsOf(kind, walk)) }];
  const outside = addresses.named(textOf(kind, "translated-address") ?? "");
  const change = oneOf([outside]);
  if (match === "any" || match.objects.length !== 1) return [{ match, change }];
  const sides = sidesOf(match.objects, change, outside).filter(({ literal }) => literal === undefined);
  const parts = sides.map(({ ranges, change: own }) => ({ match: { negated: false, objects: [literalOf(ranges)] }, change: own }));
  const [only, ...others] = parts;
  if (only !== undefined && others.length === 0 && rangesOf(match.objects[0] as Address) !== undefined) return [{ ...only, match }];
  return [...parts, { match, change }];
}

function poolsOf(kind: TreeNode, { names: { addresses }, routes }: Walk): Address[] {
  const fallback = childByTag(kind, "fallback");
  return [kind, ...(fallback === undefined ? [] : [fallback])].flatMap((node): Address[] => {
    const own = childByTag(node, "interface-address");
    if (own === undefined) return (membersOf(node, "translated-address") ?? []).map((name) => addresses.named(name));
    const text = textOf(own, "ip") ?? textOf(own, "floating-ip");
    const by = textOf(own, "interface") ?? "its interface";
    const host = text === undefined ? routes.addressOf(by, false) : hostOf(text.split("/")[0] ?? "");
    if (host !== undefined) return [literalOf([{ first: host.number, last: host.number }])];
    if (text !== undefined) return [addresses.named(text)];
    const unknown = {
      kind: "address of an interface",
      definition: by,
      name: `the address of ${by}`,
      reason: "the configuration does not say it",
    };
    return [{ ...literalOf([]), unknowns: [unknown] }];
  });
}

/**
 * Splits the addresses of a rule by their translation. A range with the size of `target` is translated address by address. `otherwise`
 * applies to all other ranges, and to objects with unknown addresses.
 */
function sidesOf(objects: "any" | readonly Address[], otherwise: Change, target: Address | undefined): Side[] {
  if (objects === "any") return [{ ranges: ANY_IPV4, change: otherwise }];
  const [to, ...more] = (target === undefined ? undefined : rangesOf(target)) ?? [];
  const isMoved = to !== undefined && more.length === 0 && to.first !== to.last;
  const known = objects.flatMap((object): Side[] => {
    const ranges = knownOf(object).filter(({ last }) => last <= (ANY_IPV4[0]?.last ?? 0n));
    if (!isMoved || rangesOf(object) === undefined) return [{ ranges, change: otherwise }];
    return ranges.map((range) => ({
      ranges: [range],
      change: range.last - range.first === to.last - to.first ? { by: to.first - range.first } : otherwise,
    }));
  });
  const plain = isMoved ? known : [{ ranges: known.flatMap(({ ranges }) => ranges), change: otherwise }];
  const unknowns = objects
    .flatMap(unknownsOf)
    .map((unknown): Side => ({ ranges: ANY_IPV4, literal: { unknown, holds: true, subject: "destination" }, change: otherwise }));
  return [...plain.map((side) => ({ ...side, ranges: united(side.ranges) })).filter(({ ranges }) => ranges.length > 0), ...unknowns];
}

function singleOf(object: Address): bigint | undefined {
  const [range, ...more] = rangesOf(object) ?? [];
  return range !== undefined && more.length === 0 && range.first === range.last ? range.first : undefined;
}

function literalOf(ranges: readonly AddressRange[]): Address {
  const text = ranges.map(({ first, last }) => `${first}-${last}`).join();
  return { id: text, name: text, values: ranges, members: [], unknowns: [] };
}

/** Matches the given ranges. */
export const among = (ranges: readonly AddressRange[]): Match<AddressRange> => ({ negated: false, objects: [literalOf(ranges)] });

function oneOf(objects: readonly Address[]): Change {
  return { ranges: united(objects.flatMap(knownOf)), unknowns: objects.flatMap(unknownsOf) };
}

const knownOf = ({ values, members }: Address): readonly AddressRange[] => [...values, ...members.flatMap(knownOf)];
const unknownsOf = ({ unknowns, members }: Address): readonly Unknown[] => [...unknowns, ...members.flatMap(unknownsOf)];
