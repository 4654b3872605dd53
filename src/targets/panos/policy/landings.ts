import { canonicalText } from "../../../core/tree/canonical.js";
import { shapeAt } from "../../../core/tree/lookup.js";
import { Path } from "../../../core/tree/path.js";
import { listed } from "../../../engine/insight/address-words.js";
import type { Landing, LandingStage } from "../../../engine/policies.js";
import type { AddressRange, Match, Named, Policy, Verdict } from "../../../insight/policy.js";
import { panosShape } from "../shape.js";
import { natRulesChange, ROUTES_CHANGE, type Version } from "./beside-rules.js";
import { LandingVersion } from "./landing-version.js";
import { wayBackWords, worksBothWays } from "./nat.js";
import { isOfIpv4, namesIn, type Piece, piecesOf } from "./nat-pieces.js";
import type { ReadingOptions } from "./reading.js";
import { rulesOf } from "./rules.js";
import { zonesOf } from "./systems.js";
import { type Walk, walkIn } from "./ways.js";

const RULE = Path.root.child("config").child("rule");
const COMES_FROM = "Interfaces or routes change: from which zone an address comes may be another.";

const OF_TEMPLATES = "Interfaces and routes are those of templates: what a firewall has beside them was not read.";

type Both<Of> = readonly [Of, Of];

/**
 * What NAT and routes make of flows in two versions. "unread": NAT differs, and interfaces and routes were not read; undefined: nothing is known of
 * them, or nothing that was read differs.
 */
export function landingsOf(before: Version, after: Version, options: ReadingOptions, isRead: boolean): LandingStage | "unread" | undefined {
  const walks: Both<Walk> = [walkIn(before.root, before.system, options), walkIn(after.root, after.system, options)];
  const edits = new Edits(walks);
  if (!isRead) return edits.isSame ? undefined : "unread";
  if (walks.some(({ routes }) => routes.routers.every((router) => router.routes.length === 0))) return undefined;
  const landings = new Map<Verdict, Landing>();
  try {
    const versions: Both<LandingVersion> = [new LandingVersion(walks[0], landings), new LandingVersion(walks[1], landings)];
    const isRouted = versions[0].routesText() === versions[1].routesText();
    const isSame = isRouted && edits.isSame;
    // What protocols learn may change with their settings.
    const isKnown = walks.every(
      ({ routes }) => routes.askedElsewhere.length === 0 && routes.routers.every(({ learns }) => learns.length === 0),
    );
    const isAnswered = walks.every((walk) =>
      walk.natRules.every(({ rule }) => isOfIpv4(rule) || edits.edited(rule.name ?? "") === undefined),
    );
    return {
      policies: isSame ? [nothing(walks[0]), nothing(walks[1])] : [versions[0].policy(), versions[1].policy()],
      landings,
      answered: new Set([...(isKnown ? [ROUTES_CHANGE] : []), ...(isAnswered ? natRulesChange(before, after) : [])]),
      doubts: isSame ? [] : [...new Set([...(isRouted || !isKnown ? [] : [COMES_FROM]), ...versions.flatMap(doubtsOf)])],
      edited: (rule) => edits.edited(rule),
      objects: (rules) => objectsOf(walks, rules),
    };
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    const doubts = [`What NAT and routes make of flows was not worked out: ${error.message}.`];
    return {
      policies: [nothing(walks[0]), nothing(walks[1])],
      landings,
      answered: new Set(),
      doubts,
      edited: () => undefined,
      objects: () => [],
    };
  }
}

function nothing({ system }: Walk): Policy {
  return { scope: system.scope, zones: zonesOf(system), otherZones: false, rules: [], otherwise: "", limits: [] };
}

/** What may make it wrong, of one version. */
function doubtsOf({ walk, routers, left }: LandingVersion): string[] {
  const { routes, forwarding, reading } = walk;
  const rules = walk.natRules;
  const named = (of: typeof rules) =>
    listed(
      of.map(({ rule }) => rule.name ?? ""),
      3,
    );
  const [others, both] = [rules.filter(({ rule }) => !isOfIpv4(rule)), rules.filter(({ rule }) => worksBothWays(rule) !== undefined)];
  const learning = routes.routers.filter(({ name, learns }) => routers.has(name) && learns.length > 0);
  const monitored = [...routers.values()].flatMap((router) => [...router.forwarding.monitored]);
  const say = (list: readonly unknown[], text: string) => (list.length === 0 ? [] : [text]);
  return [
    ...learning.map(({ name, learns }) => `${learns.join(", ")} of ${name} may know routes that the configuration does not say.`),
    ...say(routes.askedElsewhere, `Addresses are not in the configuration: ${routes.askedElsewhere.join(", ")}.`),
    ...say(forwarding, `Rules of policy-based forwarding may send flows elsewhere: ${forwarding.join(", ")}.`),
    ...monitored.map((text) => `It is taken that ${text}.`),
    ...(both.length === 0 ? [] : [wayBackWords(both, reading.assumed)]),
    ...say(others, `NAT between IPv4 and IPv6, and of IPv6, is not modelled: ${named(others)}.`),
    ...say(left, `What comes from zones without interfaces of one router was not followed: ${left.join(", ")}.`),
    ...(walk.system.network === undefined ? [] : [OF_TEMPLATES]),
    ...reading.doubts,
  ];
}

function objectsOf(walks: Both<Walk>, rules: readonly string[]): readonly Named<AddressRange>[] {
  return walks.flatMap((walk) =>
    walk.natRules
      .filter(({ rule }) => rules.includes(rule.name ?? ""))
      .flatMap(({ rule }) => namesIn(rule).filter((name) => name !== "any"))
      .map((name) => walk.names.addresses.named(name)),
  );
}

/** What was edited of NAT rules, by their names. */
class Edits {
  readonly isSame: boolean;
  readonly #walks: Both<Walk>;
  readonly #meanings: Both<ReadonlyMap<string, string>>;

  constructor(walks: Both<Walk>) {
    this.#walks = walks;
    const contents = new Contents();
    this.#meanings = [meaningsOf(walks[0], contents), meaningsOf(walks[1], contents)];
    const [former, next] = this.#meanings.map((each) => JSON.stringify([...each]));
    this.isSame = former === next;
  }

  edited(name: string): string | undefined {
    const [[before, after], [had, has]] = [this.#walks.map((walk) => textOfRule(walk, name)), this.#meanings.map((each) => each.get(name))];
    if (before === undefined || after === undefined)
      return before === after ? undefined : `NAT rule ${name} ${before === undefined ? "is new" : "goes"}`;
    if (before !== after) return `NAT rule ${name} changes`;
    return had === has ? undefined : `what NAT rule ${name} names changes`;
  }
}

function textOfRule({ system }: Walk, name: string): string | undefined {
  const rule = system.layers.flatMap((layer) => rulesOf(layer, "nat")).find((each) => each.name === name);
  return rule && canonicalText(rule, shapeAt(RULE, panosShape()));
}

/** What each rule in force does, names looked up. */
function meaningsOf(walk: Walk, contents: Contents): ReadonlyMap<string, string> {
  const texts = new Map<string, string>();
  for (const piece of piecesOf(walk))
    texts.set(piece.rule.name ?? "", `${texts.get(piece.rule.name ?? "") ?? ""}\n${meaningOf(piece, contents)}`);
  return texts;
}

function meaningOf({ zones, leaves, from, to, service, conditions, source, destination, port }: Piece, contents: Contents): string {
  const content = (match: Match<unknown>) => (match === "any" ? match : match.objects.map((each) => contents.numberOf(each)));
  return text([zones, leaves, content(from), to, content(service), conditions, source, destination, port]);
}

const text = (value: unknown): string => JSON.stringify(value, (_, each: unknown) => (typeof each === "bigint" ? each.toString() : each));

/** What objects hold, a number for each content: a group that many rules name is read once. */
class Contents {
  readonly #numbers = new Map<string, number>();
  readonly #known = new Map<Named<unknown>, number>();

  numberOf(object: Named<unknown>): number {
    const known = this.#known.get(object);
    if (known !== undefined) return known;
    const { values, members, unknowns } = object;
    const content = text([values, members.map((each) => this.numberOf(each)), unknowns.map(({ kind, definition }) => [kind, definition])]);
    const number = this.#numbers.get(content) ?? this.#numbers.size;
    this.#numbers.set(content, number);
    this.#known.set(object, number);
    return number;
  }
}
