import { childByTag } from "../../core/tree/lookup.js";
import type { TreeNode } from "../../core/tree/node.js";
import type { Path } from "../../core/tree/path.js";
import type { KindGuards } from "../../plan/model.js";
import { keptDefaultRules } from "./default-rules.js";
import { inLiveForm } from "./live-form.js";
import { withLostProtection } from "./lost-protection.js";
import { groupsWithoutOwner } from "./security-group-form.js";
import { ROOT_PATH } from "./shape.js";

/** Remote prefixes that include every address. */
const EVERYBODY = new Set(["0.0.0.0/0", "::/0"]);

/** Dangerous changes in a cloud (docs/guards.md#guards: meaning guard; kinds that are never pruned). */
export const openstackGuards: KindGuards = {
  /** The APIs of a cloud are outside its projects, so no change can cut the connection. */
  management: () => undefined,
  meaning(path, live, desired) {
    if (desired === undefined) return undefined;
    for (const { list, row, isOpen, words, describe } of OPENINGS) {
      const holder = path.steps().find((step) => step.parent?.tag === list && step.parent.depth === 2);
      if (holder?.name === undefined) continue;
      const found = (node: TreeNode) => rowsBelow(node, path, row).filter(isOpen).map(words);
      const before = new Set(live === undefined ? [] : found(live));
      const opened = [...new Set(found(desired))].filter((each) => !before.has(each));
      if (opened.length > 0) return describe(holder.name, opened.join(", "));
    }
    return undefined;
  },
  withLost: (desired, live, isMade) => withLostProtection(desired, live, (list, entry) => isMade(ROOT_PATH.child(list).entry(entry))),
  inWordsOfLive: inLiveForm,
  notes: keptDefaultRules,
  unfit: groupsWithoutOwner,
  /** Every project has this group, and ports without another group use it. */
  neverPruned: (entry) => entry.parent?.tag === "security_groups" && entry.name === "default",
};

/** Rows in a list of an object that allow access from everywhere. */
interface Opening {
  readonly list: string;
  readonly row: string;
  isOpen(row: TreeNode): boolean;
  words(row: TreeNode): string;
  describe(name: string, opened: string): string;
}

const OPENINGS: readonly Opening[] = [
  {
    list: "security_groups",
    row: "rules",
    isOpen,
    words,
    describe: (name, opened) => `Security group "${name}" allows access from any address: ${opened}.`,
  },
  {
    list: "ports",
    row: "allowed_address_pairs",
    isOpen: (pair) => EVERYBODY.has(textOf(pair, "ip_address") ?? ""),
    words: (pair) => textOf(pair, "ip_address") ?? "",
    describe: (name, opened) => `Port "${name}" may send as everybody: ${opened}.`,
  },
];

/** Returns the rows of lists called `tag` in `node`, which is at `path`. */
function rowsBelow(node: TreeNode, path: Path, tag: string): TreeNode[] {
  const found: TreeNode[] = [];
  const visit = (at: TreeNode, isRow: boolean): void => {
    if (isRow) found.push(at);
    for (const child of at.children) visit(child, at.tag === tag);
  };
  visit(node, path.parent?.tag === tag);
  return found;
}

/** Whether an ingress rule admits every address. A rule without a remote does too. */
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
