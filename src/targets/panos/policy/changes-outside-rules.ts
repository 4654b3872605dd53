import { canonicalText } from "../../../core/tree/canonical.js";
import { childByTag, childEntry, shapeAt } from "../../../core/tree/lookup.js";
import type { TreeNode } from "../../../core/tree/node.js";
import { Path } from "../../../core/tree/path.js";
import { panosShape } from "../shape.js";
import { changedDefinitions, type Version } from "./changed-definitions.js";
import { routeChanges } from "./changed-routes.js";
import { membersOf } from "./name-scopes.js";
import { rulesOf } from "./rules.js";
import type { EffectiveSystem } from "./systems.js";

const NAT_RULES = ["nat", "NAT rules"] as const;
/** Rulebases that affect a session before or in addition to security rules. None of them is modelled here. */
const OTHER_RULEBASES: readonly (readonly [tag: string, words: string])[] = [
  NAT_RULES,
  ["application-override", "rules of application override"],
  ["pbf", "rules of policy-based forwarding"],
  ["authentication", "authentication rules"],
  ["captive-portal", "captive portal rules"],
  ["decryption", "decryption rules"],
  ["dos", "DoS protection rules"],
  ["tunnel-inspect", "tunnel inspection rules"],
  ["sdwan", "SD-WAN rules"],
];
/**
 * Reports changes between two versions outside the security rules that affect the allowed traffic: zones of interfaces, routes, NAT, and
 * application detection. Returns one sentence per change.
 */
export function changesOutsideRules(before: Version, after: Version): string[] {
  const rules = [...routeChanges(before, after), ...otherRules(before, after), ...applications(before, after)];
  return [...zones(before, after), ...rules, ...changedDefinitions(before, after)];
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

function otherRules(before: Version, after: Version): string[] {
  return OTHER_RULEBASES.flatMap((kind) => changedRulebase(kind, before, after));
}

/** Reports changes of NAT rules. */
export function natRulesChange(before: Version, after: Version): string[] {
  return changedRulebase(NAT_RULES, before, after);
}

function changedRulebase(
  [tag, words]: (typeof OTHER_RULEBASES)[number],
  { system: before }: Version,
  { system: after }: Version,
): string[] {
  const [former, next] = [rulesAt(before, tag), rulesAt(after, tag)];
  if ([...former].join("\n") === [...next].join("\n")) return [];
  const changed = [...new Set([...former.keys(), ...next.keys()])].filter((name) => former.get(name) !== next.get(name));
  return [
    `Other rules change: ${words} (${changed.length === 0 ? "order" : changed.join(", ")}). Their effect on sessions is not compared.`,
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
  const isPort = ({ children }: TreeNode) => children.some(({ tag }) => tag === "port" || tag === "ident-by-ip-protocol");
  const kept = application.children.filter((child) => child.tag !== "description" && !(child.tag === "default" && isPort(child)));
  return kept.map((child) => canonicalText(child, shapeAt(RULE.child(child.tag), panosShape()))).join("\n");
}
