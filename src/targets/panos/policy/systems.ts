import { childByTag, find } from "../../../core/tree/lookup.js";
import { TreeNode } from "../../../core/tree/node.js";
import { Path } from "../../../core/tree/path.js";
import { HANDED } from "../borrowed.js";
import { deviceGroupParents } from "../device-groups.js";
import { deviceEntry } from "../scope.js";
import type { NameScope } from "./name-scopes.js";
import type { Interpretation } from "./reading.js";

type Precedence = Interpretation["precedence"];

/** Rules that stand together in a rulebase, in their order. */
export interface RuleLayer {
  /** `pre`, `local`, `post`. */
  readonly level: string;
  /** Who authored it: a device group, `shared`; empty for the firewall itself. */
  readonly group: string;
  /** The element that holds `security`, `nat` …, and its place. */
  readonly rulebase: TreeNode;
  readonly path: Path;
}

/**
 * One rulebase as it judges: what a firewall's own tree says of a virtual system, or what a manager makes of several places.
 * Whoever projects a manager's rules on a firewall hands these over.
 */
export interface EffectiveSystem {
  readonly scope: string;
  /** Its own place. */
  readonly path: Path;
  /** Lists of its zones; undefined where none is known. */
  readonly zones: readonly TreeNode[] | undefined;
  /** It may have zones beside these. */
  readonly hasOtherZones?: boolean | undefined;
  /** Where names are looked up, the first that has one counts. */
  readonly names: readonly NameScope[];
  /** Those of `names` of which nobody knows for all devices which one comes first. */
  readonly ranked?: readonly NameScope[] | undefined;
  /** Where its interfaces and routes stand, where that is not in the tree that its rules are of. */
  readonly network?: TreeNode | undefined;
  /** Rules from the top. */
  readonly layers: readonly RuleLayer[];
  /** The device is told to judge rules with wildcard addresses in order, as all others. */
  readonly wildcardsInOrder?: boolean | undefined;
  /** What else must be said: rules that stand between and were not seen. */
  readonly doubts?: readonly string[] | undefined;
}

const SHARED = Path.root.child("config").child("shared");
const SYSTEMS = deviceEntry.child("vsys");
const GROUPS = deviceEntry.child("device-group");
export const WILDCARDS_IN_ORDER = deviceEntry
  .child("deviceconfig")
  .child("setting")
  .child("management")
  .child("wildcard-topdown-match-mode");

/** Where a firewall says which manager it has: in older versions the address itself, in newer ones a container with it. */
const MANAGERS = ["panorama", "panorama-server"].map((tag) => deviceEntry.child("deviceconfig").child("system").child(tag));
/** Said of firewalls that were not asked for their own rules. */
export const OWN_RULES = "The firewalls' own rules stand between these pre-rules and post-rules and were not read.";
const PUSHED = "The firewall has a manager: the rules that it pushes stand above and below these, and were not read.";

/** Every rulebase of a tree: each virtual system of a firewall, each device group of a manager. */
export function systemsIn(root: TreeNode, precedence: Precedence): EffectiveSystem[] {
  return [...virtualSystems(root), ...deviceGroups(root, precedence)];
}

/** Names of its zones that are known. */
export function zonesOf({ zones = [] }: EffectiveSystem): readonly string[] {
  return zones.flatMap(({ children }) => children.flatMap(({ name }) => name ?? []));
}

/** Undefined where a name that is not among them may be one all the same. */
export function allZonesOf(system: EffectiveSystem): readonly string[] | undefined {
  return system.zones === undefined || system.hasOtherZones === true ? undefined : zonesOf(system);
}

/** Places of a manager in the order in which their objects count. */
export function rankedBy(precedence: Precedence, levels: readonly NameScope[]): readonly NameScope[] {
  return precedence === "nearest" ? levels : levels.toReversed();
}

function virtualSystems(root: TreeNode): EffectiveSystem[] {
  const shared = scopesAt(root, "shared", SHARED);
  const wildcardsInOrder = find(root, WILDCARDS_IN_ORDER)?.text === "yes";
  const isManaged = [...MANAGERS, HANDED].some((place) => find(root, place) !== undefined);
  const pushedShared = scopesAt(root, "pushed shared", HANDED.child("shared"));
  return entriesAt(root, SYSTEMS).map(({ name, node, path }) => {
    const rulebase = childByTag(node, "rulebase");
    const pushed = scopesAt(root, "pushed", HANDED.child("vsys").entry(name));
    const zones = [node, ...pushed.map((each) => each.node)].flatMap((each) => childByTag(each, "zone") ?? []);
    const own: RuleLayer[] = rulebase === undefined ? [] : [{ level: "local", group: "", rulebase, path: path.child("rulebase") }];
    return {
      scope: name,
      path,
      zones: zones.length === 0 ? undefined : zones,
      wildcardsInOrder,
      names: [{ word: name, path, node }, ...pushed, ...shared, ...pushedShared],
      doubts: isManaged && pushed.length === 0 ? [PUSHED] : [],
      layers: [...pushed.flatMap((each) => pushedLayers(each, "pre")), ...own, ...pushed.flatMap((each) => pushedLayers(each, "post"))],
    };
  });
}

/** Pushed rules stand in one list in the order in which they judge; each says which place of the manager it is of (`loc`). */
function pushedLayers({ node }: NameScope, level: "pre" | "post"): RuleLayer[] {
  const tag = `${level}-rulebase`;
  const kinds = (childByTag(node, tag)?.children ?? []).map((kind) => ({
    kind: kind.tag,
    rules: childByTag(kind, "rules")?.children ?? [],
  }));
  const places = new Set(kinds.flatMap(({ rules }) => rules.map((rule) => rule.attributes?.get("loc") ?? "")));
  return [...places].map((place) => {
    const own = kinds.map(({ kind, rules }) => {
      const kept = rules.filter((rule) => (rule.attributes?.get("loc") ?? "") === place);
      return new TreeNode(kind, undefined, "", [new TreeNode("rules", undefined, "", kept)]);
    });
    const isShared = place === "shared" || place === "";
    return {
      level,
      group: isShared ? "shared" : `device-group/${place}`,
      rulebase: new TreeNode(tag, undefined, "", own),
      path: (isShared ? SHARED : GROUPS.entry(place)).child(tag),
    };
  });
}

/** What a manager says for all firewalls of a device group; their own rules stand between and are not seen. */
function deviceGroups(root: TreeNode, precedence: Precedence): EffectiveSystem[] {
  return [...groupLevels(root).values()].map((levels) => ({
    scope: levels[0]?.word ?? "",
    path: levels[0]?.path ?? GROUPS,
    zones: undefined,
    names: rankedBy(precedence, levels),
    ranked: levels,
    layers: layersOf(levels),
    doubts: [OWN_RULES],
  }));
}

/** Each device group of a manager with the places that hand something to its firewalls: itself, those above it, `shared`. */
export function groupLevels(root: TreeNode): ReadonlyMap<string, readonly NameScope[]> {
  const parents = deviceGroupParents(root);
  const last = scopesAt(root, "shared", SHARED);
  const own = new Map<string, NameScope>();
  for (const node of find(root, GROUPS)?.children ?? []) {
    const path = GROUPS.entry(node.name ?? "");
    own.set(path.toString(), { word: `device-group/${node.name}`, path, node });
  }
  return new Map(
    [...own.values()].map((group) => {
      const chain: NameScope[] = [];
      for (let at: NameScope | undefined = group; at !== undefined && !chain.includes(at); ) {
        chain.push(at);
        at = own.get(parents.get(at.path.toString()) ?? "");
      }
      return [group.path.name ?? "", [...chain, ...last]];
    }),
  );
}

/** Rulebases of the places in the order in which they judge: pre-rules from `shared` down, post-rules from the group up. */
export function layersOf(levels: readonly NameScope[]): RuleLayer[] {
  return [...levels.toReversed().flatMap((level) => layer(level, "pre")), ...levels.flatMap((level) => layer(level, "post"))];
}

function layer({ word, node, path }: NameScope, level: "pre" | "post"): RuleLayer[] {
  const tag = `${level}-rulebase`;
  const rulebase = childByTag(node, tag);
  return rulebase === undefined ? [] : [{ level, group: word, rulebase, path: path.child(tag) }];
}

interface Entry {
  readonly name: string;
  readonly node: TreeNode;
  readonly path: Path;
}

function entriesAt(root: TreeNode, list: Path): Entry[] {
  return (find(root, list)?.children ?? []).flatMap((node) =>
    node.name === undefined ? [] : [{ name: node.name, node, path: list.entry(node.name) }],
  );
}

function scopesAt(root: TreeNode, word: string, path: Path): NameScope[] {
  const node = find(root, path);
  return node === undefined ? [] : [{ word, path, node }];
}
