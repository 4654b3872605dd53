import { canonicalText } from "../../../core/tree/canonical.js";
import { childByTag, childEntry, find, shapeAt } from "../../../core/tree/lookup.js";
import type { TreeNode } from "../../../core/tree/node.js";
import { Path } from "../../../core/tree/path.js";
import { deviceEntry, IPV6_FIREWALLING } from "../scope.js";
import { isDisabled } from "../security-rule.js";
import { panosShape } from "../shape.js";
import { matchedBy, membersOf } from "./name-scopes.js";
import { rulesOf } from "./rules.js";
import type { EffectiveSystem } from "./systems.js";

const NAT_RULES = ["nat", "NAT rules"] as const;
/** Rulebases that affect a session before security rules. None of them is modelled here. */
const BEFORE_SECURITY: readonly (readonly [tag: string, words: string])[] = [
  NAT_RULES,
  ["application-override", "rules of application override"],
  ["pbf", "rules of policy-based forwarding"],
  ["authentication", "authentication rules"],
];
/** Configuration that decides the zone of an address. */
const ROUTING = ["interface", "virtual-router", "logical-router"].map((tag) => deviceEntry.child("network").child(tag));

/** One version of a rulebase, and the configuration that contains it. */
export interface Version {
  readonly root: TreeNode;
  readonly system: EffectiveSystem;
}

/**
 * Reports changes between two versions outside the security rules that affect the allowed traffic: zones of interfaces, routes, NAT, and
 * application detection. Returns one sentence per change.
 */
export function changesBeside(before: Version, after: Version): string[] {
  const rules = [...routing(before, after), ...otherRules(before, after), ...applications(before, after)];
  return [...zones(before, after), ...rules, ...users(before, after), ...ipv6(before, after)];
}

/** Zone settings that decide the user of a session. */
const OF_ZONE_USERS = ["enable-user-identification", "user-acl"];
/** Lists that decide the members of user groups, in a virtual system or shared. */
const OF_GROUPS = ["dynamic-user-group", "local-user-database", "group-mapping"];

/** Reports changes of users and their groups, if a rule names users. */
function users(before: Version, after: Version): string[] {
  if (![before, after].some(({ system }) => namesUsers(system))) return [];
  const [former, next] = [before, after]
    .map(({ system: { zones: lists = [] } }) =>
      lists.flatMap(({ children }) => children.map((zone) => [zone.name ?? "", textsOf([zone], OF_ZONE_USERS)] as const)),
    )
    .map((entries) => new Map(entries)) as [Map<string, string>, Map<string, string>];
  const changedZones = [...next].filter(([zone, text]) => former.has(zone) && former.get(zone) !== text).map(([zone]) => zone);
  const nodes = ({ system }: Version) => system.names.map(({ node }) => node);
  const changedLists = OF_GROUPS.filter((tag) => textsOf(nodes(before), [tag]) !== textsOf(nodes(after), [tag]));
  return [
    ...changedZones.map((zone) => `User identification of zone ${zone} changes: which users its sessions have is not known.`),
    ...(changedLists.length === 0 ? [] : [`User groups change (${changedLists.join(", ")}): which users rules match is not known.`]),
  ];
}

function namesUsers({ layers }: EffectiveSystem): boolean {
  return layers.some((layer) => rulesOf(layer, "security").some((rule) => !isDisabled(rule) && matchedBy(rule, "source-user") !== "any"));
}

/** Returns the canonical text of children with these tags. */
function textsOf(nodes: readonly TreeNode[], tags: readonly string[]): string {
  const children = nodes.flatMap((node) => tags.flatMap((tag) => childByTag(node, tag) ?? []));
  return children.map((child) => canonicalText(child, shapeAt(RULE.child(child.tag), panosShape()))).join("\n");
}

function ipv6(before: Version, after: Version): string[] {
  if (textAt(before.root, IPV6_FIREWALLING) === textAt(after.root, IPV6_FIREWALLING)) return [];
  return ["The setting ipv6-firewalling changes: whether rules apply to IPv6 is not known."];
}

function zones({ system: before }: Version, { system: after }: Version): string[] {
  const [former, next] = [interfacesOf(before), interfacesOf(after)];
  return [...new Set([...former.keys(), ...next.keys()])].flatMap((zone) => {
    const [had, has] = [former.get(zone) ?? [], next.get(zone) ?? []];
    const gained = has.filter((each) => !had.includes(each));
    const lost = had.filter((each) => !has.includes(each));
    return [
      ...(gained.length === 0
        ? []
        : [
            `Traffic from ${gained.join(", ")} now belongs to zone ${zone}, with the rules of that zone. They are not compared with the former ones.`,
          ]),
      ...(lost.length === 0 ? [] : [`Traffic from ${lost.join(", ")} no longer belongs to zone ${zone}.`]),
    ];
  });
}

/** Returns the interfaces of each zone. */
export function interfacesOf({ zones: lists = [] }: Pick<EffectiveSystem, "zones">): ReadonlyMap<string, readonly string[]> {
  return new Map(
    lists
      .flatMap(({ children }) => children)
      .map((zone) => {
        const network = childByTag(zone, "network");
        // The element also contains zone settings, for example the protection profile.
        const kinds = (network?.children ?? []).filter(({ children }) => children.length > 0);
        return [zone.name ?? "", network === undefined ? [] : kinds.flatMap(({ tag }) => membersOf(network, tag) ?? [])];
      }),
  );
}

export const ROUTES_CHANGE = "Interfaces or routes change: the source and destination zones of an address may differ.";

function routing(before: Version, after: Version): string[] {
  const [former, next] = [before.system.network ?? before.root, after.system.network ?? after.root];
  return changesOfRoutes(former, next, after.system.path) ? [ROUTES_CHANGE] : [];
}

/** Whether interfaces or routes change, or the interfaces that the virtual system imports. */
export function changesOfRoutes(before: TreeNode, after: TreeNode, system: Path): boolean {
  return before !== after && [...ROUTING, system.child("import")].some((path) => textAt(before, path) !== textAt(after, path));
}

function otherRules(before: Version, after: Version): string[] {
  return BEFORE_SECURITY.flatMap((kind) => rulesBeside(kind, before, after));
}

/** Reports changes of NAT rules. */
export function natRulesChange(before: Version, after: Version): string[] {
  return rulesBeside(NAT_RULES, before, after);
}

function rulesBeside([tag, words]: (typeof BEFORE_SECURITY)[number], { system: before }: Version, { system: after }: Version): string[] {
  const [former, next] = [rulesAt(before, tag), rulesAt(after, tag)];
  if ([...former].join("\n") === [...next].join("\n")) return [];
  const changed = [...new Set([...former.keys(), ...next.keys()])].filter((name) => former.get(name) !== next.get(name));
  return [
    `Of the ${words} change: ${changed.length === 0 ? "their order" : changed.join(", ")}. Their effect on sessions is not compared.`,
  ];
}

const RULE = Path.root.child("config").child("rule");

/** Returns the rules in their order, each as canonical text. */
function rulesAt({ layers }: EffectiveSystem, tag: string): ReadonlyMap<string, string> {
  const rules = layers.flatMap((layer) =>
    rulesOf(layer, tag).map((rule) => ({ rule, at: `${layer.level} ${layer.group} ${rule.name}`.trim() })),
  );
  return new Map(rules.map(({ rule, at }) => [at.replace(/^local {2}?/, ""), canonicalText(rule, shapeAt(RULE, panosShape()))]));
}

/** Reports custom applications whose detection changes. Default ports are compared with the rules. */
function applications({ system: before }: Version, { system: after }: Version): string[] {
  const lists = (system: EffectiveSystem) => system.names.flatMap(({ node }) => childByTag(node, "application") ?? []);
  const changed = lists(after).flatMap(({ children }) =>
    children.filter((entry) => {
      const former = lists(before).flatMap((list) => childEntry(list, entry.name ?? "") ?? [])[0];
      return former !== undefined && recognised(former) !== recognised(entry);
    }),
  );
  return changed.map(({ name }) => `Application ${name} is recognised differently: its sessions may change.`);
}

function recognised(application: TreeNode): string {
  const kept = application.children.filter(({ tag }) => tag !== "default" && tag !== "description");
  return kept.map((child) => canonicalText(child, shapeAt(RULE.child(child.tag), panosShape()))).join("\n");
}

function textAt(root: TreeNode, path: Path): string {
  const node = find(root, path);
  return node === undefined ? "" : canonicalText(node, shapeAt(path, panosShape()));
}
