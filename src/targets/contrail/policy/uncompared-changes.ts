import { canonicalText } from "../../../core/tree/canonical.js";
import { childByTag, shapeAt } from "../../../core/tree/lookup.js";
import { TreeNode } from "../../../core/tree/node.js";
import { listed } from "../../../outcome/shorten-list.js";
import { changedFields } from "../../../reachability/changes/changed-fields.js";
import type { Limit } from "../../../reachability/flows/policy.js";
import { ROOT_PATH } from "../collections.js";
import { UNCOMPARED } from "../deciding-fields.js";
import { contrailShape } from "../shape.js";
import { entries, lastOf } from "./fabric.js";

const SUBJECTS: ReadonlyMap<string, string> = new Map([
  ["network-policys", "States of policies"],
  ["virtual-networks", "Settings of networks"],
  ["logical-routers", "Routers"],
  ["security-groups", "Security groups"],
  ["route-tables", "Route tables"],
  ["floating-ips", "Floating IPs"],
  ["floating-ip-pools", "Pools of floating IPs"],
  ["network-ipams", "Subnets"],
]);
/** Lists whose new and deleted entries have rows of their own, or change no reachability themselves. */
const QUIET: ReadonlySet<string> = new Set(["network-policys", "virtual-networks", "logical-routers", "network-ipams"]);
const LISTS = [...UNCOMPARED].map(([list, fields]) => ({
  list,
  fields,
  subject: SUBJECTS.get(list) ?? list,
  unknown: "their effect on flows",
  isQuiet: QUIET.has(list),
}));

/** Settings of a rule that `PolicyRule` contains, and those that decide no flow. */
const READ_OF_RULE = new Set(
  "direction protocol src_addresses dst_addresses src_ports dst_ports description rule_sequence rule_uuid created last_modified".split(" "),
);
const READ_OF_ACTIONS = new Set("simple_action apply_service log alert qos_action mirror_to".split(" "));

/** Reports changes whose effect on flows is not computed. */
export function uncomparedChanges(before: TreeNode, after: TreeNode): Limit[] {
  return [
    ...changedFields(before, after, contrailShape(), LISTS),
    ...changed("Other settings of rules", unreadRules(before), unreadRules(after)),
    ...changed("Timers of policies", timers(before), timers(after)),
  ];
}

function changed(subject: string, before: ReadonlyMap<string, string>, after: ReadonlyMap<string, string>): Limit[] {
  const names = [...after].filter(([name, text]) => before.has(name) && before.get(name) !== text).map(([name]) => lastOf(name));
  const text = `${subject} change (${listed(names)}): their effect on flows is not compared.`;
  return names.length === 0 ? [] : [{ text, doubtful: true, isOfChange: true }];
}

/** Returns for each network the timers of its policies. */
function timers(root: TreeNode): ReadonlyMap<string, string> {
  const textOf = (node: TreeNode) => canonicalText(node, shapeAt(REFERENCE.child(node.tag), contrailShape()));
  const timersOf = (network: TreeNode) =>
    entries(network, "network_policy_refs").flatMap((row) =>
      row.children.filter(({ tag }) => tag === "timer").map((timer) => `${row.name} ${textOf(timer)}`),
    );
  return new Map(entries(root, "virtual-networks").map((network) => [network.name ?? "", timersOf(network).sort().join("\n")]));
}

const REFERENCE = "virtual-networks entry network_policy_refs entry".split(" ").reduce((path, tag) => path.child(tag), ROOT_PATH);

/** Returns for each policy the settings of its rules that `PolicyRule` does not contain. */
function unreadRules(root: TreeNode): ReadonlyMap<string, string> {
  return new Map(
    entries(root, "network-policys").map((policy) => {
      const rules = entries(childByTag(policy, "network_policy_entries"), "policy_rule");
      const unread = rules.map(unreadOf).filter((text) => text !== "");
      return [policy.name ?? "", unread.join("\n")];
    }),
  );
}

const RULE = "network-policys entry network_policy_entries policy_rule entry".split(" ").reduce((path, tag) => path.child(tag), ROOT_PATH);

function unreadOf(rule: TreeNode): string {
  const actions = childByTag(rule, "action_list")?.children.filter(({ tag }) => !READ_OF_ACTIONS.has(tag)) ?? [];
  const others = rule.children.filter(({ tag }) => !READ_OF_RULE.has(tag) && tag !== "action_list");
  const kept = [...others, ...(actions.length === 0 ? [] : [new TreeNode("action_list", undefined, "", actions)])];
  return kept.map((child) => canonicalText(child, shapeAt(RULE.child(child.tag), contrailShape()))).join(" ");
}
