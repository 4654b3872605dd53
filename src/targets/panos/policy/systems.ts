import { childByTag, find } from "../../../core/tree/lookup.js";
import { TreeNode } from "../../../core/tree/node.js";
import { Path } from "../../../core/tree/path.js";
import { deviceGroupParents } from "../device-groups.js";
import { PUSHED_PATH } from "../pushed-paths.js";
import { deviceEntry, MANAGER_PLACES, WILDCARDS_IN_ORDER } from "../scope.js";
import type { NameScope } from "./name-scopes.js";
import type { Interpretation } from "./reading.js";

type Precedence = Interpretation["precedence"];

/** Rules of one source in a rulebase, in their order. */
export interface RuleLayer {
  /** `pre`, `local` or `post`. */
  readonly level: string;
  /** Source of the rules: a device group or `shared`. Empty for the firewall itself. */
  readonly group: string;
  /** The element that contains `security`, `nat` …, and its path. */
  readonly rulebase: TreeNode;
  readonly path: Path;
}

/**
 * One effective rulebase: that of a virtual system in a firewall's own configuration, or the combination of several scopes on a manager. A
 * projection of a manager's rules on a firewall creates these too.
 */
export interface EffectiveSystem {
  readonly scope: string;
  /** Path of the virtual system or device group. */
  readonly path: Path;
  /** Lists of its zones. Undefined if none is known. */
  readonly zones: readonly TreeNode[] | undefined;
  /** Whether it may have zones that are not in `zones`. */
  readonly hasOtherZones?: boolean | undefined;
  /** Scopes for name lookups. The first scope that defines the name wins. */
  readonly names: readonly NameScope[];
  /** The scopes in `names` whose precedence is not known for all devices. */
  readonly ranked?: readonly NameScope[] | undefined;
  /** Configuration that contains the interfaces and routes, if it is not the one that contains the rules. */
  readonly network?: TreeNode | undefined;
  /** Rules from top to bottom. */
  readonly layers: readonly RuleLayer[];
  /** Whether the device evaluates rules with wildcard addresses in order, like other rules. */
  readonly wildcardsInOrder?: boolean | undefined;
  /** Rules directly above those of this level that were not read, as a sentence. It is also one of `doubts`. */
  readonly unread?: { readonly above: "post" | "default"; readonly text: string } | undefined;
  /** Additional doubts, for example about rules in between that were not read. */
  readonly doubts?: readonly string[] | undefined;
}

const SHARED = Path.root.child("config").child("shared");
const SYSTEMS = deviceEntry.child("vsys");
const GROUPS = deviceEntry.child("device-group");
/** Doubt for firewalls whose own rules were not requested. */
export const OWN_RULES = "The firewalls' own rules are between these pre-rules and post-rules and were not read.";
const PUSHED = "The firewall has a manager: its pushed rules are above and below these, and were not read.";

/** Returns the rulebases of a configuration: the virtual systems of a firewall, or the device groups of a manager. */
export function systemsIn(root: TreeNode, precedence: Precedence): EffectiveSystem[] {
  return [...virtualSystems(root), ...deviceGroups(root, precedence)];
}

/** Returns the names of the known zones. */
export function zonesOf({ zones = [] }: EffectiveSystem): readonly string[] {
  return zones.flatMap(({ children }) => children.flatMap(({ name }) => name ?? []));
}

/** Returns all zones. Undefined if other zones may exist. */
export function allZonesOf(system: EffectiveSystem): readonly string[] | undefined {
  return system.zones === undefined || system.hasOtherZones === true ? undefined : zonesOf(system);
}

/** Orders the scopes of a manager by the precedence of their objects. */
export function rankedBy(precedence: Precedence, levels: readonly NameScope[]): readonly NameScope[] {
  return precedence === "nearest" ? levels : levels.toReversed();
}

function virtualSystems(root: TreeNode): EffectiveSystem[] {
  const shared = scopesAt(root, "shared", SHARED);
  const wildcardsInOrder = find(root, WILDCARDS_IN_ORDER)?.text === "yes";
  const isManaged = [...MANAGER_PLACES, PUSHED_PATH].some((place) => find(root, place) !== undefined);
  const pushedShared = scopesAt(root, "pushed shared", PUSHED_PATH.child("shared"));
  return entriesAt(root, SYSTEMS).map(({ name, node, path }) => {
    const rulebase = childByTag(node, "rulebase");
    const pushed = scopesAt(root, "pushed", PUSHED_PATH.child("vsys").entry(name));
    const zones = [node, ...pushed.map((each) => each.node)].flatMap((each) => childByTag(each, "zone") ?? []);
    const own: RuleLayer[] = rulebase === undefined ? [] : [{ level: "local", group: "", rulebase, path: path.child("rulebase") }];
    return {
      scope: name,
      path,
      zones: zones.length === 0 ? undefined : zones,
      wildcardsInOrder,
      names: [{ word: name, path, node }, ...pushed, ...shared, ...pushedShared],
      ...(isManaged && pushed.length === 0 ? { doubts: [PUSHED], unread: { above: "default", text: PUSHED } } : {}),
      layers: [...pushed.flatMap((each) => pushedLayers(each, "pre")), ...own, ...pushed.flatMap((each) => pushedLayers(each, "post"))],
    };
  });
}

/** Pushed rules are in one list, in order of evaluation. The `loc` attribute of each names its source on the manager. */
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

/** Returns the rules that a manager defines for all firewalls of a device group. The firewalls' own rules are not included. */
function deviceGroups(root: TreeNode, precedence: Precedence): EffectiveSystem[] {
  return [...groupLevels(root).values()].map((levels) => ({
    scope: levels[0]?.word ?? "",
    path: levels[0]?.path ?? GROUPS,
    zones: undefined,
    names: rankedBy(precedence, levels),
    ranked: levels,
    layers: layersOf(levels),
    doubts: [OWN_RULES],
    unread: { above: "post", text: OWN_RULES },
  }));
}

/**
 * Returns the rules that a manager defines for all firewalls, in `shared`. They are part of the rulebases of all device groups, and no
 * rulebase of their own. Undefined for a firewall.
 */
export function sharedRules(root: TreeNode): EffectiveSystem | undefined {
  const names = scopesAt(root, "shared", SHARED);
  if (names.length === 0 || find(root, GROUPS) === undefined) return undefined;
  return { scope: "shared", path: SHARED, zones: undefined, names, layers: layersOf(names) };
}

/** Returns the entries of all device groups. */
export function deviceGroupsIn(root: TreeNode): readonly TreeNode[] {
  return find(root, GROUPS)?.children ?? [];
}

/** Returns for each device group the scopes that its firewalls inherit from: the group itself, its ancestors, and `shared`. */
export function groupLevels(root: TreeNode): ReadonlyMap<string, readonly NameScope[]> {
  const parents = deviceGroupParents(root);
  const last = scopesAt(root, "shared", SHARED);
  const own = new Map<string, NameScope>();
  for (const node of deviceGroupsIn(root)) {
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

/** Returns rulebases in order of evaluation: pre-rules from `shared` down to the group, post-rules from the group up. */
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
