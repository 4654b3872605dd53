import { childByTag } from "../../core/tree/lookup.js";
import type { TreeNode } from "../../core/tree/node.js";
import type { Path } from "../../core/tree/path.js";
import type { DesiredNode } from "../../desired/model.js";
import type { KindGuards } from "../../plan/model.js";
import { withLostProtection } from "./lost-protection.js";
import { ROOT_PATH } from "./shape.js";

/** Remote prefixes that let everybody in. */
const EVERYBODY = new Set(["0.0.0.0/0", "::/0"]);

/** What is dangerous in a cloud (docs/plan.md#guards: meaning guard; kinds never pruned). */
export const openstackGuards: KindGuards = {
  /** The interfaces of a cloud lie outside its projects: nothing in one cuts us off. */
  management: () => undefined,
  meaning(path, live, desired) {
    if (desired === undefined) return undefined;
    const group = groupOf(path);
    if (group === undefined || group.name === undefined) return undefined;
    const before = live === undefined ? new Set<string>() : openRules(live, path);
    const opened = [...openRules(desired, path)].filter((rule) => !before.has(rule));
    return opened.length === 0 ? undefined : `Security group "${group.name}" lets in everybody: ${opened.join(", ")}.`;
  },
  withLost: (desired, live, isMade) => withLostProtection(desired, live, (port) => isMade(ROOT_PATH.child("ports").entry(port))),
  /** The group that every project has, and that ports fall back on. */
  neverPruned: (entry) => entry.parent?.tag === "security_groups" && entry.name === "default",
};

/** The entry of the security group that `path` is or lies in. */
function groupOf(path: Path): Path | undefined {
  return path.steps().find((step) => step.parent?.tag === "security_groups" && step.parent.depth === 2);
}

/** Rules below `node`, which stands at `path`, that let anybody in, in words. */
function openRules(node: TreeNode | DesiredNode, path: Path): Set<string> {
  const found = new Set<string>();
  const visit = (at: TreeNode, isRule: boolean): void => {
    if (isRule && isOpen(at)) found.add(words(at));
    for (const child of at.children) visit(child, at.tag === "rules");
  };
  visit(node, path.parent?.tag === "rules");
  return found;
}

/** A rule without a remote side lets everybody in, too. */
function isOpen(rule: TreeNode): boolean {
  if (textOf(rule, "direction") !== "ingress") return false;
  if (["remote_group", "remote_address_group_id"].some((tag) => textOf(rule, tag) !== undefined)) return false;
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
