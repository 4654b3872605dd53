import { TreeNode } from "../../../../src/core/tree/node.js";

/** A rule as people and the service write it. */
export interface RawRule {
  readonly direction: "ingress" | "egress";
  readonly ethertype?: "IPv4" | "IPv6" | undefined;
  readonly protocol?: string | undefined;
  readonly port_range_min?: number | undefined;
  readonly port_range_max?: number | undefined;
  readonly remote_ip_prefix?: string | undefined;
  readonly remote_group?: string | undefined;
  readonly remote_address_group?: string | undefined;
}

interface RawPort {
  readonly groups?: readonly string[] | undefined;
  readonly open?: boolean | undefined;
}

/** The objects of the project. */
export interface RawProject {
  readonly groups: Readonly<Record<string, readonly RawRule[]>>;
  readonly shared?: readonly string[];
  readonly addressGroups?: Readonly<Record<string, readonly string[]>>;
  readonly ports: Readonly<Record<string, RawPort>>;
}

const leaf = (tag: string, text: string | number | undefined): TreeNode[] =>
  text === undefined ? [] : [new TreeNode(tag, undefined, String(text))];

const list = (tag: string, entries: readonly TreeNode[]): TreeNode => new TreeNode(tag, undefined, "", entries);

/** The tree of a live project. */
export function treeOf({ groups, ports, shared = [], addressGroups = {} }: RawProject): TreeNode {
  const own = leaf("project_id", "1");
  return list("openstack", [
    list(
      "security_groups",
      Object.entries(groups).map(([name, rules]) => {
        const rows = rules.map((rule) => {
          const fields = Object.entries(rule).flatMap(([tag, value]) => leaf(tag, value as string | number | undefined));
          return new TreeNode("entry", JSON.stringify(rule), "", fields);
        });
        return new TreeNode("entry", name, "", [...own, ...(shared.includes(name) ? leaf("shared", "true") : []), list("rules", rows)]);
      }),
    ),
    list(
      "address_groups",
      Object.entries(addressGroups).map(([name, addresses]) => {
        const members = addresses.map((address) => new TreeNode("member", undefined, address));
        return new TreeNode("entry", name, "", [list("addresses", members)]);
      }),
    ),
    list(
      "ports",
      Object.entries(ports).map(([name, port]) => {
        const members = (port.groups ?? []).map((group) => new TreeNode("member", undefined, group));
        const held = members.length === 0 ? [] : [list("security_groups", members)];
        return new TreeNode("entry", name, "", [...own, ...leaf("port_security_enabled", String(port.open !== true)), ...held]);
      }),
    ),
  ]);
}
