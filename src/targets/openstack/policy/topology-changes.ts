import type { TreeNode } from "../../../core/tree/node.js";
import { listed } from "../../../outcome/shorten-list.js";
import { changedFields } from "../../../reachability/changes/changed-fields.js";
import type { Limit } from "../../../reachability/flows/policy.js";
import { OF_TOPOLOGY } from "../deciding-fields.js";
import { openstackShape } from "../shape.js";
import type { Group } from "./groups.js";

/** Lists whose new and deleted entries change no reachability themselves, or have rows of their own. */
const QUIET: ReadonlySet<string> = new Set(["networks", "ports", "servers"]);
const SUBJECTS: ReadonlyMap<string, string> = new Map([
  ["routers", "Routers"],
  ["floatingips", "Floating IPs"],
  ["networks", "Networks"],
  ["ports", "Addresses of ports"],
  ["servers", "Networks of servers"],
  ["trunks", "Trunks"],
]);
/** Fields of subnets that decide no flow. */
const IGNORED: ReadonlySet<string> = new Set(["dns_nameservers", "description", "tags"]);
const UNCOMPARED = [...OF_TOPOLOGY].map(([list, fields]) => ({
  list,
  fields,
  subject: SUBJECTS.get(list) ?? list,
  unknown: "which networks reach each other",
  ignored: list === "networks" ? IGNORED : undefined,
  isQuiet: QUIET.has(list),
}));

/** Reports changes outside security groups that decide which addresses reach each other. */
export function topologyChanges(before: TreeNode, after: TreeNode): Limit[] {
  return changedFields(before, after, openstackShape(), UNCOMPARED);
}

/** Reports groups that become stateless or stateful. */
export function statefulChanges(before: ReadonlyMap<string, Group>, after: ReadonlyMap<string, Group>): Limit[] {
  const changed = [...after].filter(([name, { isStateful }]) => before.has(name) && before.get(name)?.isStateful !== isStateful);
  const names = changed.map(([name]) => name);
  const text = `Groups become stateful or stateless (${listed(names)}): which replies pass is not compared.`;
  return names.length === 0 ? [] : [{ text, doubtful: true, isOfChange: true }];
}
