import { childByTag, find } from "../../../core/tree/lookup.js";
import type { TreeNode } from "../../../core/tree/node.js";
import { Path } from "../../../core/tree/path.js";
import { deviceGroupParents } from "../device-groups.js";
import { deviceEntry } from "../scope.js";
import type { NameScope } from "./name-scopes.js";

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
  /** Names of its zones; undefined where they are not all known. */
  readonly zones: readonly string[] | undefined;
  /** Where names are looked up, the nearest first. */
  readonly names: readonly NameScope[];
  /** Rules from the top. */
  readonly layers: readonly RuleLayer[];
  /** Serial number of the firewall, where rules may be meant for some firewalls alone. */
  readonly serial?: string | undefined;
  /** The device is told to judge rules with wildcard addresses in order, as all others. */
  readonly wildcardsInOrder?: boolean | undefined;
  /** What else must be said: rules that stand between and were not seen. */
  readonly doubts?: readonly string[] | undefined;
}

const SHARED = Path.root.child("config").child("shared");
const SYSTEMS = deviceEntry.child("vsys");
const GROUPS = deviceEntry.child("device-group");
const WILDCARDS_IN_ORDER = deviceEntry.child("deviceconfig").child("setting").child("management").child("wildcard-topdown-match-mode");

/** Where a firewall says which manager it has: in older versions the address itself, in newer ones a container with it. */
const MANAGERS = ["panorama", "panorama-server"].map((tag) => deviceEntry.child("deviceconfig").child("system").child(tag));
const PUSHED = "The firewall has a manager: the rules that it pushes stand above and below these, and were not read.";

/** Every rulebase of a tree: each virtual system of a firewall, each device group of a manager. */
export function systemsIn(root: TreeNode): EffectiveSystem[] {
  return [...virtualSystems(root), ...deviceGroups(root)];
}

function virtualSystems(root: TreeNode): EffectiveSystem[] {
  const shared = scopesAt(root, "shared", SHARED);
  const wildcardsInOrder = find(root, WILDCARDS_IN_ORDER)?.text === "yes";
  const isManaged = MANAGERS.some((place) => find(root, place) !== undefined);
  return entriesAt(root, SYSTEMS).map(({ name, node, path }) => {
    const rulebase = childByTag(node, "rulebase");
    const zones = childByTag(node, "zone")?.children.flatMap((zone) => zone.name ?? []);
    return {
      scope: name,
      zones,
      wildcardsInOrder,
      names: [{ word: name, path, node }, ...shared],
      doubts: isManaged ? [PUSHED] : [],
      layers: rulebase === undefined ? [] : [{ level: "local", group: "", rulebase, path: path.child("rulebase") }],
    };
  });
}

/** What a manager says for all firewalls of a device group; their own rules stand between and are not seen. */
function deviceGroups(root: TreeNode): EffectiveSystem[] {
  const groups = new Map(entriesAt(root, GROUPS).map((entry) => [entry.path.toString(), entry]));
  const parents = deviceGroupParents(root);
  return [...groups.values()].map((group) => {
    const chain: Entry[] = [];
    for (let at: Entry | undefined = group; at !== undefined && !chain.includes(at); ) {
      chain.push(at);
      at = groups.get(parents.get(at.path.toString()) ?? "");
    }
    const word = `device-group/${group.name}`;
    const own = chain.map(({ name, node, path }): NameScope => ({ word: `device-group/${name}`, path, node }));
    const names = [...own, ...scopesAt(root, "shared", SHARED)];
    return {
      scope: word,
      zones: undefined,
      names,
      layers: [...[...names].reverse().flatMap((scope) => layer(scope, "pre")), ...names.flatMap((scope) => layer(scope, "post"))],
      doubts: ["The firewalls' own rules stand between these pre-rules and post-rules and were not read."],
    };
  });
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
