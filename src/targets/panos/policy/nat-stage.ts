import type { Where } from "../../../core/errors.js";
import { childByTag } from "../../../core/tree/lookup.js";
import type { TreeNode } from "../../../core/tree/node.js";
import type { AddressRange, AnyOf, Match, Named, Policy, Rule, ServiceRange, Unknown, Verdict } from "../../../insight/policy.js";
import { isDisabled, textOf } from "../security-rule.js";
import { holds, meantFor } from "./conditions.js";
import { holdsAddress, rangesOf } from "./holds.js";
import { hostOf } from "./host.js";
import { matchedBy, membersOf } from "./name-scopes.js";
import { ruleAt, rulesOf } from "./rules.js";
import { type RuleLayer, zonesOf } from "./systems.js";
import type { Walk } from "./ways.js";

/** What becomes of an address: it is moved by a number (0: it stays), or becomes one of these. */
export type Change =
  | { readonly kind: "moved"; readonly by: bigint }
  | { readonly kind: "one of"; readonly ranges: readonly AddressRange[]; readonly unknowns: readonly Unknown[] };

/** What a NAT rule makes of flows. */
export interface Made {
  readonly source: Change;
  readonly destination: Change;
  /** Undefined: the port that it was sent to. */
  readonly port: number | undefined;
}

const STAYS: Change = { kind: "moved", by: 0n };
const IPV4 = 1n << 32n;
const ports = [6, 17, 132];

/** Flows of a rule of which one thing is made. */
interface Piece extends Made {
  readonly rule: TreeNode;
  readonly layer: RuleLayer;
  readonly origin: Where;
  /** Told apart from other pieces of the rule. */
  readonly id: string;
  readonly isWayBack: boolean;
  readonly zones: Rule["zones"];
  readonly from: Match<AddressRange>;
  readonly to: Match<AddressRange>;
  readonly service: Match<ServiceRange>;
  readonly conditions: readonly AnyOf[];
}

/** Of one side of a rule: what becomes of these addresses. */
interface Side {
  readonly match: Match<AddressRange>;
  readonly change: Change;
  readonly id: string;
}

/** NAT of several versions of a rulebase as policies: a verdict is what becomes of addresses and port, by value. IPv4 alone. */
export function natStage(walks: readonly (Walk | undefined)[]): {
  readonly policies: readonly (Policy | undefined)[];
  readonly made: ReadonlyMap<Verdict, Made>;
} {
  const versions = walks.map((walk) => (walk === undefined ? [] : piecesOf(walk)));
  const moves = { source: movesOf(versions.flat(), "source"), destination: movesOf(versions.flat(), "destination") };
  const made = new Map<Verdict, Made>();
  const verdictOf = ({ source, destination, port }: Made): Verdict => {
    const verdict = JSON.stringify([keyOf(source), keyOf(destination), port]);
    made.set(verdict, { source, destination, port });
    return verdict;
  };
  const otherwise = verdictOf({ source: STAYS, destination: STAYS, port: undefined });
  const policies = walks.map((walk, at): Policy | undefined => {
    if (walk === undefined) return undefined;
    const rules = (versions[at] ?? []).flatMap((piece) => bySameValue(piece, moves)).map((piece) => ruleOf(piece, verdictOf(piece)));
    return {
      scope: walk.system.scope,
      zones: zonesOf(walk.system),
      otherZones: false,
      withoutApplications: true,
      rules: [ipv6(otherwise), ...rules],
      otherwise,
      limits: [...walk.reading.doubts].map((text) => ({ text, doubtful: true })),
    };
  });
  return { policies, made };
}

function ruleOf({ rule, layer, origin, id, isWayBack, zones, from, to, service, conditions }: Piece, verdict: Verdict): Rule {
  const name = rule.name ?? "";
  return {
    key: {
      level: layer.level,
      group: `${layer.group}${id}`,
      name: isWayBack ? `${name} (the way back)` : name,
      uuid: isWayBack ? undefined : rule.attributes?.get("uuid"),
    },
    origin,
    zones,
    source: from,
    destination: to,
    traffic: [{ applications: "any", services: service }],
    users: "any",
    conditions,
    verdict,
    action: isWayBack ? "" : mannerOf(rule),
  };
}

/** What NAT rules for IPv4 do not see. */
function ipv6(verdict: Verdict): Rule {
  return {
    key: { level: "default", group: "", name: "IPv6" },
    origin: {},
    zones: { type: "universal", from: "any", to: "any" },
    source: { negated: false, objects: [literal({ first: IPV4, last: (1n << 128n) - 1n })] },
    destination: "any",
    traffic: [{ applications: "any", services: "any" }],
    users: "any",
    conditions: [],
    verdict,
    action: "",
  };
}

/** How a rule translates, beside into what. */
function mannerOf(rule: TreeNode): string {
  const source = childByTag(rule, "source-translation")?.children[0]?.tag ?? "";
  const dynamic = childByTag(rule, "dynamic-destination-translation");
  const rewrite = childByTag(childByTag(rule, "destination-translation") ?? rule, "dns-rewrite");
  const distribution = dynamic === undefined ? undefined : `distributed by ${textOf(dynamic, "distribution") ?? "round-robin"}`;
  const words = [source === "none" ? "" : source, distribution ?? "", rewrite === undefined ? "" : "DNS rewritten"];
  return words.filter((word) => word !== "").join(", ") || "plain";
}

/** In the order in which they are looked at: the way back of a rule where it is taken to stand. */
function piecesOf(walk: Walk): Piece[] {
  const rules = walk.system.layers.flatMap((layer) =>
    rulesOf(layer, "nat")
      .filter((rule) => !isDisabled(rule) && isOfIpv4(rule))
      .map((rule) => ({ forward: forwardPieces(rule, layer, walk), back: backPieces(rule, layer, walk) })),
  );
  return walk.reading.assumed.wayBack === "behind its rule"
    ? rules.flatMap(({ forward, back }) => [...forward, ...back])
    : [...rules.flatMap(({ forward }) => forward), ...rules.flatMap(({ back }) => back)];
}

/** Rules between IPv4 and IPv6, and between networks of IPv6, are not modelled. */
export function isOfIpv4(rule: TreeNode): boolean {
  return (textOf(rule, "nat-type") ?? "ipv4") === "ipv4";
}

function forwardPieces(rule: TreeNode, layer: RuleLayer, walk: Walk): Piece[] {
  const base = baseOf(rule, layer, walk);
  if (base === undefined) return [];
  const { addresses, services } = walk.names;
  const name = textOf(rule, "service") ?? "any";
  const service: Match<ServiceRange> = name === "any" || name === "" ? "any" : { negated: false, objects: [services.named(name)] };
  const [said, isDynamic] = destinationOf(rule);
  const text = said === undefined ? undefined : textOf(said, "translated-port");
  const target = said === undefined ? undefined : textOf(said, "translated-address");
  const to = addresses.match(rule, "destination");
  const whole = target === undefined ? STAYS : oneOf([addresses.named(target)]);
  const destinations = target === undefined || isDynamic ? [{ match: to, change: whole, id: "" }] : mapped(to, addresses.named(target));
  return sourcesOf(rule, walk).flatMap((source) =>
    destinations.map((destination) => ({
      ...base,
      id: source.id + destination.id,
      isWayBack: false,
      zones: { type: "universal", from: matchedBy(rule, "from"), to: matchedBy(rule, "to") },
      from: source.match,
      to: destination.match,
      service,
      source: source.change,
      destination: destination.change,
      port: text === undefined ? undefined : Number(text),
    })),
  );
}

/** What a static translation that works both ways makes of what comes for the translated address. */
function backPieces(rule: TreeNode, layer: RuleLayer, walk: Walk): Piece[] {
  const source = childByTag(rule, "source-translation");
  const fixed = source === undefined ? undefined : childByTag(source, "static-ip");
  const base = baseOf(rule, layer, walk);
  if (base === undefined || fixed === undefined || textOf(fixed, "bi-directional") !== "yes") return [];
  const { addresses } = walk.names;
  const outside: Match<AddressRange> = { negated: false, objects: [addresses.named(textOf(fixed, "translated-address") ?? "")] };
  const inside = (membersOf(rule, "source") ?? []).map((name) => addresses.named(name));
  const [only, ...more] = inside;
  const sides = only !== undefined && more.length === 0 ? mapped(outside, only) : [{ match: outside, change: oneOf(inside), id: "" }];
  return sides.map(({ match, change, id }) => ({
    ...base,
    id,
    isWayBack: true,
    zones: { type: "universal", from: "any", to: walk.reading.assumed.wayBackTo === "any zone" ? "any" : matchedBy(rule, "to") },
    from: "any",
    to: match,
    service: "any",
    source: STAYS,
    destination: change,
    port: undefined,
  }));
}

/** What all pieces of a rule have in common; undefined: it is for other firewalls. */
function baseOf(rule: TreeNode, layer: RuleLayer, { reading }: Walk): Pick<Piece, "rule" | "layer" | "origin" | "conditions"> | undefined {
  const target = layer.level === "local" ? true : meantFor(rule, undefined);
  if (target === false) return undefined;
  const own = textOf(rule, "to-interface") ?? "any";
  const binding = textOf(rule, "active-active-device-binding") ?? "both";
  const unknowns = [
    ...(target === true ? [] : [target]),
    ...(own === "any" || own === "" ? [] : [leaving(own)]),
    ...(binding === "both" ? [] : [bound(binding)]),
  ];
  return { rule, layer, origin: reading.where(ruleAt(layer.path, "nat", rule)), conditions: unknowns.map((each) => [holds(each)]) };
}

function leaving(by: string): Unknown {
  const reason = "by which interface a flow leaves is not part of what is compared";
  return { kind: "interface", definition: by, name: `${by} is where its original destination leads`, reason };
}

function bound(to: string): Unknown {
  const reason = "which device of a pair has a session is not known";
  return { kind: "device of a pair", definition: to, name: `device ${to} of the pair is the one that has it`, reason };
}

function destinationOf(rule: TreeNode): readonly [TreeNode | undefined, boolean] {
  const fixed = childByTag(rule, "destination-translation");
  return fixed === undefined ? [childByTag(rule, "dynamic-destination-translation"), true] : [fixed, false];
}

function sourcesOf(rule: TreeNode, { names: { addresses }, routes }: Walk): Side[] {
  const match = addresses.match(rule, "source");
  const kind = childByTag(rule, "source-translation")?.children.find(({ tag }) => tag !== "none");
  if (kind === undefined) return [{ match, change: STAYS, id: "" }];
  if (kind.tag === "static-ip") {
    const outside = addresses.named(textOf(kind, "translated-address") ?? "");
    const isOne = match !== "any" && match.objects.length === 1;
    return isOne ? mapped(match, outside) : [{ match, change: oneOf([outside]), id: "" }];
  }
  const fallback = childByTag(kind, "fallback");
  const pools = [kind, ...(fallback === undefined ? [] : [fallback])].flatMap((node): Named<AddressRange>[] => {
    const own = childByTag(node, "interface-address");
    if (own === undefined) return (membersOf(node, "translated-address") ?? []).map((name) => addresses.named(name));
    const text = textOf(own, "ip") ?? textOf(own, "floating-ip");
    const by = textOf(own, "interface") ?? "its interface";
    const host = text === undefined ? routes.addressOf(by, false) : hostOf(text.split("/")[0] ?? "");
    if (host !== undefined) return [literal({ first: host.number, last: host.number })];
    return [text === undefined ? { ...literal({ first: 0n, last: 0n }), values: [], unknowns: [addressOf(by)] } : addresses.named(text)];
  });
  return [{ match, change: oneOf(pools), id: "" }];
}

function addressOf(name: string): Unknown {
  return { kind: "address of an interface", definition: name, name: `the address of ${name}`, reason: "the configuration does not say it" };
}

/** Ranges of one size are translated address by address, in the order in which a rule names them; else each address becomes one of the others. */
function mapped(match: Match<AddressRange>, target: Named<AddressRange>): Side[] {
  const [only, ...more] = rangesOf(target) ?? [];
  const change = oneOf([target]);
  const whole = { match, change, id: "" };
  if (only === undefined || more.length > 0 || only.first === only.last || match === "any") return [whole];
  const found = match.objects.map((object) => rangesOf(object));
  const sides = found.flatMap((ranges = []) =>
    ranges.map((range) => ({
      match: { negated: false, objects: [literal(range)] },
      change: sizeOf(range) === sizeOf(only) ? ({ kind: "moved", by: only.first - range.first } as const) : change,
      id: ` ${range.first}-${range.last}`,
    })),
  );
  const [first, ...others] = sides;
  if (first === undefined) return [whole];
  return others.length === 0 && !found.includes(undefined) ? [{ match, change: first.change, id: "" }] : [...sides, whole];
}

const sizeOf = ({ first, last }: AddressRange): bigint => last - first + 1n;

function literal(range: AddressRange): Named<AddressRange> {
  const text = `${range.first}-${range.last}`;
  return { id: text, name: text, values: [range], members: [], unknowns: [] };
}

function oneOf(objects: readonly Named<AddressRange>[]): Change {
  const all = new Set(objects);
  for (const { members } of all) for (const member of members) all.add(member);
  return {
    kind: "one of",
    ranges: united([...all].flatMap(({ values }) => values)),
    unknowns: [...all].flatMap(({ unknowns }) => unknowns),
  };
}

/** Sorted, and those that touch or overlap as one. */
export function united(ranges: readonly AddressRange[]): readonly AddressRange[] {
  const found: AddressRange[] = [];
  for (const range of [...ranges].sort((a, b) => (a.first < b.first ? -1 : a.first > b.first ? 1 : 0))) {
    const before = found.at(-1);
    if (before === undefined || range.first > before.last + 1n) found.push(range);
    else if (range.last > before.last) found[found.length - 1] = { first: before.first, last: range.last };
  }
  return found;
}

function keyOf(change: Change): string {
  if (change.kind === "moved") return `moved ${change.by}`;
  const unknowns = change.unknowns.map(({ kind, definition }) => JSON.stringify([kind, definition])).sort();
  return [...change.ranges.map(({ first, last }) => `${first}-${last}`), ...new Set(unknowns)].join();
}

function movesOf(pieces: readonly Piece[], side: "source" | "destination"): ReadonlySet<bigint> {
  return new Set([0n, ...pieces.flatMap((piece) => (piece[side].kind === "moved" ? [piece[side].by] : []))]);
}

/**
 * One address that all become is for one of them the same as a move that another rule (or none) makes: there it is told as
 * that, so that equal values are equal verdicts. So is the port that a flow was sent to.
 */
function bySameValue(piece: Piece, moves: { readonly source: ReadonlySet<bigint>; readonly destination: ReadonlySet<bigint> }): Piece[] {
  const sources = sideBySameValue(piece.from, piece.source, moves.source);
  const destinations = sideBySameValue(piece.to, piece.destination, moves.destination);
  const services = serviceBySameValue(piece);
  return sources.flatMap((source) =>
    destinations.flatMap((destination) =>
      services.map(({ match, port }) => ({
        ...piece,
        id: [piece.id, source.id, destination.id, port === piece.port ? "" : " same port"].join(""),
        from: source.match,
        to: destination.match,
        service: match,
        source: source.change,
        destination: destination.change,
        port,
      })),
    ),
  );
}

function sideBySameValue(match: Match<AddressRange>, change: Change, moves: ReadonlySet<bigint>): Side[] {
  const whole = { match, change, id: "" };
  const [only, ...more] = change.kind === "one of" ? change.ranges : [];
  if (change.kind !== "one of" || change.unknowns.length > 0 || only === undefined || more.length > 0 || only.first !== only.last)
    return [whole];
  const isIn = (address: bigint) => match === "any" || match.objects.some((object) => holdsAddress(object, address) === true);
  const same = [...moves].flatMap((by): Side[] => {
    const address = only.first - by;
    if (address < 0n || address >= IPV4 || !isIn(address)) return [];
    const at = { negated: false, objects: [literal({ first: address, last: address })] };
    return [{ match: at, change: { kind: "moved", by }, id: ` ${address}` }];
  });
  return [...same, whole];
}

function serviceBySameValue({ service, port }: Piece): { readonly match: Match<ServiceRange>; readonly port: number | undefined }[] {
  if (port === undefined) return [{ match: service, port }];
  const whole = { match: service, port };
  const all = new Set(service === "any" ? [] : service.objects);
  for (const { members } of all) for (const member of members) all.add(member);
  const own = ports.map((protocol): ServiceRange => ({ protocol, first: port, last: port }));
  const values =
    service === "any"
      ? own
      : [...all]
          .flatMap((each) => each.values)
          .filter(({ first, last }) => first <= port && port <= last)
          .map((range) => ({ ...range, first: port, last: port }));
  if (values.length === 0) return [whole];
  const same: Named<ServiceRange> = { id: `port ${port}`, name: `port ${port}`, values, members: [], unknowns: [] };
  return [{ match: { negated: false, objects: [same] }, port: undefined }, whole];
}
