import { childByTag } from "../../core/tree/lookup.js";
import type { TreeNode } from "../../core/tree/node.js";
import type { Path } from "../../core/tree/path.js";
import type { KindGuards } from "../../plan/model.js";
import { keptDefaultRules } from "./default-rules.js";
import { withLostProtection } from "./lost-protection.js";
import { groupsOfNobody } from "./server-group-words.js";
import { ROOT_PATH } from "./shape.js";
import { inWordsOfLive } from "./words-of-live.js";

/** Remote prefixes that let everybody in. */
const EVERYBODY = new Set(["0.0.0.0/0", "::/0"]);

/** What is dangerous in a cloud (docs/plan.md#guards: meaning guard; kinds never pruned). */
export const openstackGuards: KindGuards = {
  /** The interfaces of a cloud lie outside its projects: nothing in one cuts us off. */
  management: () => undefined,
  meaning(path, live, desired) {
    if (desired === undefined) return undefined;
    for (const { list, row, isOpen, words, said } of OPENINGS) {
      const holder = path.steps().find((step) => step.parent?.tag === list && step.parent.depth === 2);
      if (holder?.name === undefined) continue;
      const found = (node: TreeNode) => rowsBelow(node, path, row).filter(isOpen).map(words);
      const before = new Set(live === undefined ? [] : found(live));
      const opened = [...new Set(found(desired))].filter((each) => !before.has(each));
      if (opened.length > 0) return said(holder.name, opened.join(", "));
    }
    return undefined;
  },
  withLost: (desired, live, isMade) => withLostProtection(desired, live, (list, entry) => isMade(ROOT_PATH.child(list).entry(entry))),
  inWordsOfLive,
  notes: keptDefaultRules,
  unfit: groupsOfNobody,
  /** The group that every project has, and that ports fall back on. */
  neverPruned: (entry) => entry.parent?.tag === "security_groups" && entry.name === "default",
};

/** What opens an object: rows of one of its lists. */
interface Opening {
  readonly list: string;
  readonly row: string;
  isOpen(row: TreeNode): boolean;
  words(row: TreeNode): string;
  said(name: string, opened: string): string;
}

const OPENINGS: readonly Opening[] = [
  {
    list: "security_groups",
    row: "rules",
    isOpen,
    words,
    said: (name, opened) => `Security group "${name}" allows access from any address: ${opened}.`,
  },
  {
    list: "ports",
    row: "allowed_address_pairs",
    isOpen: (pair) => EVERYBODY.has(textOf(pair, "ip_address") ?? ""),
    words: (pair) => textOf(pair, "ip_address") ?? "",
    said: (name, opened) => `Port "${name}" may send as everybody: ${opened}.`,
  },
];

/** Rows of lists called `tag` at or below `node`, which stands at `path`. */
function rowsBelow(node: TreeNode, path: Path, tag: string): TreeNode[] {
  const found: TreeNode[] = [];
  const visit = (at: TreeNode, isRow: boolean): void => {
    if (isRow) found.push(at);
    for (const child of at.children) visit(child, at.tag === tag);
  };
  visit(node, path.parent?.tag === tag);
  return found;
}

/** A rule without a remote side lets everybody in, too. */
function isOpen(rule: TreeNode): boolean {
  if (textOf(rule, "direction") !== "ingress") return false;
  if (["remote_group", "remote_address_group", "remote_address_group_id"].some((tag) => textOf(rule, tag) !== undefined)) return false;
  const prefix = textOf(rule, "remote_ip_prefix");
  return prefix === undefined || EVERYBODY.has(prefix);
}

function words(rule: TreeNode): string {
  const from = textOf(rule, "port_range_min");
  const to = textOf(rule, "port_range_max");
  const ports = from === undefined ? "" : from === to ? ` ${from}` : ` ${from}-${to ?? ""}`;
  return `${textOf(rule, "protocol") ?? "any protocol"}${ports} from ${textOf(rule, "remote_ip_prefix") ?? "anywhere"}`;
}

function textOf(node: TreeNode, tag: string): string | undefined {
  return childByTag(node, tag)?.text;
}
