import { childByTag } from "../../core/tree/lookup.js";
import type { TreeNode } from "../../core/tree/node.js";

/** Returns a rule of a security group for users: `ingress tcp/5432 from 10.0.0.5/32`. */
export function ruleText(rule: TreeNode): string {
  const leaf = (tag: string) => childByTag(rule, tag)?.text;
  const [first, last] = [leaf("port_range_min"), leaf("port_range_max")];
  const ports = first === undefined ? "" : `/${first === last ? first : `${first}-${last}`}`;
  const [group, family] = [leaf("remote_group") ?? leaf("remote_address_group"), leaf("ethertype") ?? "IPv4"];
  const remote =
    group === undefined ? (leaf("remote_ip_prefix") ?? `all ${family}`) : `group ${group}${family === "IPv6" ? " (IPv6)" : ""}`;
  return `${leaf("direction")} ${leaf("protocol") ?? "any"}${ports} ${leaf("direction") === "ingress" ? "from" : "to"} ${remote}`;
}
