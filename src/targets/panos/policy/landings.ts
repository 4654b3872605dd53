import { canonicalText } from "../../../core/tree/canonical.js";
import { shapeAt } from "../../../core/tree/lookup.js";
import type { TreeNode } from "../../../core/tree/node.js";
import { Path } from "../../../core/tree/path.js";
import { listed } from "../../../outcome/shorten-list.js";
import type { AddressRange, Match, Named, Policy, Verdict } from "../../../reachability/flows/policy.js";
import type { Landing, LandingStage } from "../../../reachability/policy-role.js";
import { panosShape } from "../shape.js";
import type { Version } from "./changed-definitions.js";
import { changesUnreadRouting, ROUTES_CHANGE } from "./changed-routes.js";
import { natRulesChange } from "./changes-outside-rules.js";
import { type Walk, walkIn } from "./forwarding-paths.js";
import { LandingVersion } from "./landing-version.js";
import { formatReverseNat, worksBothWays } from "./nat.js";
import { isOfIpv4, namesIn, type Piece, piecesOf } from "./nat-pieces.js";
import type { ReadingOptions } from "./reading.js";
import { rulesOf } from "./rules.js";
import { zonesOf } from "./systems.js";

const RULE = Path.root.child("config").child("rule");
const COMES_FROM = "Interfaces or routes change: from which zone an address comes may be another.";

const OF_TEMPLATES = "Interfaces and routes come from templates: the local ones of a firewall were not read.";

type Both<Of> = readonly [Of, Of];

/**
 * Compares the effect of NAT and routes on flows in two versions. Returns "unread" if NAT differs but interfaces and routes were not read.
 * Undefined if nothing that was read differs, or if no routes are known.
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
    // Routes learned by protocols may change with the protocol settings.
    const isLearned = walks.some(({ routes }) => routes.otherRouters.length > 0 || routes.routers.some(({ learns }) => learns.length > 0));
    const isKnown = !isLearned && !changesUnreadRouting(before, after);
    const isAnswered =
      unreadOf(walks[0]) === unreadOf(walks[1]) &&
      walks.every((walk) => walk.natRules.every(({ rule }) => isOfIpv4(rule) || !edits.words.has(rule.name ?? "")));
    return {
      policies: isSame ? [nothing(walks[0]), nothing(walks[1])] : [versions[0].policy(), versions[1].policy()],
      landings,
      answered: new Set([...(isKnown ? [ROUTES_CHANGE] : []), ...(isAnswered ? natRulesChange(before, after) : [])]),
      doubts: isSame ? [] : [...new Set([...(isRouted || !isKnown ? [] : [COMES_FROM]), ...versions.flatMap(doubtsOf)])],
      edited: edits.words,
      objects: objectsOf(walks),
    };
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    const doubts = [`The effect of NAT and routes was not computed: ${error.message}.`];
    return {
      policies: [nothing(walks[0]), nothing(walks[1])],
      landings,
      answered: new Set(),
      doubts,
      edited: new Map(),
      objects: new Map(),
    };
  }
}

function nothing({ system }: Walk): Policy {
  return { scope: system.scope, zones: zonesOf(system), otherZones: false, rules: [], otherwise: "", limits: [] };
}

/** Settings of a NAT rule that this analysis reads, and those that decide no flow. */
const READ = new Set(
  "description disabled nat-type from to to-interface source destination service source-translation destination-translation dynamic-destination-translation active-active-device-binding target tag group-tag".split(
    " ",
  ),
);

/** Returns the other settings of the NAT rules. */
function unreadOf({ natRules }: Walk): string {
  return natRules
    .flatMap(({ rule }) => rule.children.filter(({ tag }) => !READ.has(tag)).map((child) => `${rule.name} ${textOf(child)}`))
    .join("\n");
}

/** Returns the doubts about the result of one version. */
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
  const unless = (list: readonly unknown[], text: string) => (list.length === 0 ? [] : [text]);
  return [
    ...learning.map(({ name, learns }) => `${learns.join(", ")} of ${name} may have routes that are not in the configuration.`),
    ...unless(routes.otherRouters, `Addresses are not in the configuration: ${routes.otherRouters.join(", ")}.`),
    ...unless(forwarding, `Rules of policy-based forwarding may send flows elsewhere: ${forwarding.join(", ")}.`),
    ...monitored.map((text) => `Assumption: ${text}.`),
    ...(both.length === 0 ? [] : [formatReverseNat(both, reading.assumed)]),
    ...unless(others, `NAT between IPv4 and IPv6, and of IPv6, is not modelled: ${named(others)}.`),
    ...unless(left, `Flows from zones without interfaces of one router were not followed: ${left.join(", ")}.`),
    ...(walk.system.network === undefined ? [] : [OF_TEMPLATES]),
    ...reading.doubts,
  ];
}

function objectsOf(walks: Both<Walk>): ReadonlyMap<string, readonly Named<AddressRange>[]> {
  const objects = new Map<string, Named<AddressRange>[]>();
  for (const { natRules, names } of walks)
    for (const { rule } of natRules) {
      const named = namesIn(rule).flatMap((name) => (name === "any" ? [] : names.addresses.named(name)));
      objects.set(rule.name ?? "", [...(objects.get(rule.name ?? "") ?? []), ...named]);
    }
  return objects;
}

/** The changes of NAT rules, by name. */
class Edits {
  readonly isSame: boolean;
  readonly words: ReadonlyMap<string, string>;

  constructor(walks: Both<Walk>) {
    const contents = new Contents();
    const meanings: Both<ReadonlyMap<string, string>> = [meaningsOf(walks[0], contents), meaningsOf(walks[1], contents)];
    const [former, next] = meanings.map((each) => JSON.stringify([...each]));
    this.isSame = former === next;
    const rules: Both<ReadonlyMap<string, TreeNode>> = [nodesOf(walks[0]), nodesOf(walks[1])];
    const names = new Set(rules.flatMap((each) => [...each.keys()]));
    this.words = new Map(
      [...names].flatMap((name) => {
        const words = editWords(name, rules[0].get(name), rules[1].get(name), meanings[0].get(name) === meanings[1].get(name));
        return words === undefined ? [] : [[name, words] as const];
      }),
    );
  }
}

function editWords(name: string, before: TreeNode | undefined, after: TreeNode | undefined, isAlike: boolean): string | undefined {
  if (before === undefined) return `NAT rule ${name}: new`;
  if (after === undefined) return `NAT rule ${name}: deleted`;
  if (before !== after && textOf(before) !== textOf(after)) return `NAT rule ${name}: changed`;
  return isAlike ? undefined : `NAT rule ${name}: objects changed`;
}

const textOf = (rule: TreeNode): string => canonicalText(rule, shapeAt(RULE, panosShape()));

/** Returns the NAT rules by name. The first of several equal names wins. */
function nodesOf({ system }: Walk): ReadonlyMap<string, TreeNode> {
  const nodes = system.layers.flatMap((layer) => rulesOf(layer, "nat"));
  return new Map(nodes.toReversed().map((node) => [node.name ?? "", node]));
}

/** Returns the effect of each enabled rule, with resolved names. */
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

/** Numbers for the contents of objects. A group that many rules use is processed once. */
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
