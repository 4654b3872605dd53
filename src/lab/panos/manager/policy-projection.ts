import { createHash } from "node:crypto";
import { TreeNode } from "../../../core/tree/node.js";
import { child } from "../state/system-facts.js";
import { toXml } from "../tree/serialise.js";
import { groupAndAncestors, managedEntry } from "./memberships.js";

/** Behaviour for which sources disagree or do not exist. */
export interface ProjectionOptions {
  /** The object that is pushed if a group and its ancestors have objects with the same name. */
  readonly precedence: "nearest" | "ancestors";
  /** Whether rules whose `target` excludes a firewall are omitted from its configuration. */
  readonly leavesOutTargeted: boolean;
  /**
   * Only applies if unused objects are not shared: whether the next push removes objects from a firewall that are no longer used, or
   * keeps them.
   */
  readonly unused: "left out" | "stay";
  /** Order of default rules that are defined at several levels: the nearest group's rules first, or those in `shared` first. */
  readonly defaultRules: "nearest" | "shared";
  /** Whether a firewall counts as out of sync if it has a local value that differs from its template. */
  readonly overrides: "unseen" | "out of sync";
}

export const USUAL_PROJECTION: ProjectionOptions = {
  precedence: "nearest",
  leavesOutTargeted: true,
  unused: "left out",
  defaultRules: "nearest",
  overrides: "unseen",
};

/** A firewall and vsys that a rule's `target` is matched against. */
interface Receiver {
  readonly serial: string;
  readonly vsys: string;
}

const RULEBASES = ["pre-rulebase", "post-rulebase"] as const;
/** Parts of a group that are not pushed as objects: its members, references and description. Rulebases are handled separately. */
const OF_THE_GROUP: ReadonlySet<string> = new Set(["devices", "reference-templates", "description", ...RULEBASES]);

/**
 * Returns the pushed policy of a firewall in a group, in the flat form of firewalls: objects of the group and its ancestors, and enabled
 * rules in their order of evaluation.
 *
 * Without `receiver`, returns the policy of the group itself. Its checksum determines which firewalls are in sync.
 */
export function policyOf(
  config: TreeNode,
  group: string,
  receiver: Receiver | undefined,
  options: ProjectionOptions,
  held?: TreeNode,
): TreeNode {
  const chain = groupAndAncestors(config, group).map((name) => ({ name, node: managedEntry(config, "device-group", name) }));
  const levels = [...chain, { name: "shared", node: child(config, "shared") }].flatMap(({ name, node }) =>
    node === undefined ? [] : [{ name, node }],
  );
  const isDelivered = (rule: TreeNode) =>
    child(rule, "disabled")?.text !== "yes" && (receiver === undefined || !options.leavesOutTargeted || isFor(rule, receiver));
  const byRank = options.precedence === "nearest" ? levels : levels.toReversed();
  const downwards = levels.toReversed();
  const all = objectsOf(byRank);
  return new TreeNode("panorama", undefined, "", [
    ...(sharesUnused(config) ? all : usedOf(all, levels, options.unused === "stay" ? held : undefined)),
    ...RULEBASES.flatMap((tag) => rulebaseOf(tag, tag === "pre-rulebase" ? downwards : levels, isDelivered, options)),
  ]);
}

/** Whether `share-unused-objects-with-devices` is set. The default is yes. */
function sharesUnused(config: TreeNode): boolean {
  const device = child(child(config, "devices"), "entry");
  const management = child(child(child(device, "deviceconfig"), "setting"), "management");
  return child(management, "share-unused-objects-with-devices")?.text !== "no";
}

/**
 * Keeps the objects that rules use directly or through other objects, and the objects that the firewall keeps. Disabled rules count too.
 */
function usedOf(lists: readonly TreeNode[], levels: readonly Level[], held: TreeNode | undefined): TreeNode[] {
  const rules = levels.flatMap(({ node }) =>
    RULEBASES.flatMap((tag) => child(node, tag)?.children ?? []).flatMap((kind) => child(kind, "rules")?.children ?? []),
  );
  const named = new Set(rules.flatMap(textsIn));
  const objects = lists.flatMap(({ children }) => children);
  for (let known = -1; known !== named.size; ) {
    known = named.size;
    for (const object of objects) if (named.has(object.name ?? "")) for (const text of textsIn(object)) named.add(text);
  }
  const isKept = (list: string, name: string) => child(held, list)?.children.some((entry) => entry.name === name) === true;
  return lists.flatMap((list) => {
    const kept = list.children.filter(({ name = "" }) => named.has(name) || isKept(list.tag, name));
    return kept.length === 0 ? [] : [new TreeNode(list.tag, undefined, "", kept)];
  });
}

function textsIn(node: TreeNode): string[] {
  return node.children.length === 0 ? [node.text] : node.children.flatMap(textsIn);
}

/** Returns the objects of the manager's `shared`. A firewall with several virtual systems stores them in one place. */
export function sharedOf(config: TreeNode): TreeNode {
  const shared = child(config, "shared");
  return new TreeNode("shared", undefined, "", shared === undefined ? [] : objectsOf([{ name: "shared", node: shared }]));
}

/** Checksum with which a manager compares the expected configuration with the firewall's. */
export function sumOf(...trees: readonly TreeNode[]): string {
  const hash = createHash("md5");
  for (const tree of trees) hash.update(toXml(tree));
  return hash.digest("hex");
}

interface Level {
  readonly name: string;
  readonly node: TreeNode;
}

/** Merges the object lists of all levels. If several levels have an object with the same name, the first level wins. */
function objectsOf(levels: readonly Level[]): TreeNode[] {
  const lists = new Map<string, Map<string, TreeNode>>();
  for (const { name, node } of levels) {
    for (const list of node.children) {
      if (OF_THE_GROUP.has(list.tag) || list.children[0]?.tag !== "entry") continue;
      const entries = lists.get(list.tag) ?? new Map<string, TreeNode>();
      lists.set(list.tag, entries);
      for (const entry of list.children) if (!entries.has(entry.name ?? "")) entries.set(entry.name ?? "", located(entry, name));
    }
  }
  return [...lists].map(([tag, entries]) => new TreeNode(tag, undefined, "", [...entries.values()]));
}

function rulebaseOf(
  tag: string,
  levels: readonly Level[],
  isDelivered: (rule: TreeNode) => boolean,
  { defaultRules }: ProjectionOptions,
): TreeNode[] {
  const kinds = new Map<string, TreeNode[]>();
  for (const { name, node } of levels) {
    for (const kind of child(node, tag)?.children ?? []) {
      const rules = (child(kind, "rules")?.children ?? []).filter(isDelivered).map((rule) => located(rule, name));
      const known = kinds.get(kind.tag) ?? [];
      const isTurned = kind.tag === "default-security-rules" && defaultRules === "shared";
      kinds.set(kind.tag, isTurned ? [...rules, ...known] : [...known, ...rules]);
    }
  }
  if (kinds.size === 0) return [];
  const children = [...kinds].map(([kind, rules]) => new TreeNode(kind, undefined, "", [new TreeNode("rules", undefined, "", rules)]));
  return [new TreeNode(tag, undefined, "", children)];
}

function isFor(rule: TreeNode, { serial, vsys }: Receiver): boolean {
  const target = child(rule, "target");
  const named = child(target, "devices")?.children ?? [];
  if (named.length === 0) return true;
  const systems = named.find((entry) => entry.name === serial);
  const names = child(systems, "vsys")?.children.map(({ name }) => name) ?? [];
  const isNamed = systems !== undefined && (names.length === 0 || names.includes(vsys));
  return isNamed !== (child(target, "negate")?.text === "yes");
}

/** Sets `loc` on the node and all nodes below it: pushed nodes carry the name of their group. */
function located(node: TreeNode, loc: string): TreeNode {
  const children = node.children.map((each) => located(each, loc));
  const kept = [...(node.attributes ?? [])].filter(([key]) => key === "uuid");
  return new TreeNode(node.tag, node.name, node.text, children, new Map([...kept, ["loc", loc]]));
}
