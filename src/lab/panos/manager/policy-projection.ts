import { createHash } from "node:crypto";
import { TreeNode } from "../../../core/tree/node.js";
import { child } from "../state/facts.js";
import { toXml } from "../tree/serialise.js";
import { groupAndAncestors, managedEntry } from "./memberships.js";

/** Where sources disagree, or nobody wrote it down. */
export interface ProjectionOptions {
  /** Which group's object is delivered where several above each other have one of its name. */
  readonly precedence: "nearest" | "ancestors";
  /** Rules whose `target` leaves a firewall out are not in what it gets. */
  readonly leavesOutTargeted: boolean;
  /** Where unused objects are not shared: those that a firewall has and that are no longer used are taken from it by the next push, or stay there. */
  readonly unused: "left out" | "stay";
  /** Of default rules that several places have, which stands first in what a firewall gets. */
  readonly defaultRules: "nearest" | "shared";
  /** Whether a firewall that has a value of its own where its template has another counts as out of sync. */
  readonly overrides: "unseen" | "out of sync";
}

export const USUAL_PROJECTION: ProjectionOptions = {
  precedence: "nearest",
  leavesOutTargeted: true,
  unused: "left out",
  defaultRules: "nearest",
  overrides: "unseen",
};

/** For whom a rule is, by its `target`. */
interface Receiver {
  readonly serial: string;
  readonly vsys: string;
}

const RULEBASES = ["pre-rulebase", "post-rulebase"] as const;
/** What of a group says whom it is for, and is not delivered. */
const OF_THE_GROUP: ReadonlySet<string> = new Set(["devices", "reference-templates", "description", ...RULEBASES]);

/**
 * What a firewall of a group gets, flattened as firewalls keep it: objects of the group and of those above it, rules in the order
 * in which they are enforced, no disabled ones. `receiver` undefined: of the group as such, whose sum says who is in sync.
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

/** `share-unused-objects-with-devices`. */
function sharesUnused(config: TreeNode): boolean {
  const device = child(child(config, "devices"), "entry");
  const management = child(child(child(device, "deviceconfig"), "setting"), "management");
  return child(management, "share-unused-objects-with-devices")?.text !== "no";
}

/** Objects that rules name, disabled ones among them, by themselves or by what they name, and those that the firewall has and keeps. */
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

/** The objects of the manager's `shared`, which a firewall with several virtual systems keeps in one place. */
export function sharedOf(config: TreeNode): TreeNode {
  const shared = child(config, "shared");
  return new TreeNode("shared", undefined, "", shared === undefined ? [] : objectsOf([{ name: "shared", node: shared }]));
}

/** The sum by which a manager compares what should be with what a firewall has. */
export function sumOf(...trees: readonly TreeNode[]): string {
  const hash = createHash("md5");
  for (const tree of trees) hash.update(toXml(tree));
  return hash.digest("hex");
}

interface Level {
  readonly name: string;
  readonly node: TreeNode;
}

/** Lists of objects; the first level that has a name keeps it. */
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

/** Pushed nodes say on every one of them which group made them. */
function located(node: TreeNode, loc: string): TreeNode {
  const children = node.children.map((each) => located(each, loc));
  const kept = [...(node.attributes ?? [])].filter(([key]) => key === "uuid");
  return new TreeNode(node.tag, node.name, node.text, children, new Map([...kept, ["loc", loc]]));
}
