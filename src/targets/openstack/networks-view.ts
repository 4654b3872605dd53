import { type NetworksView, type NetworkView, plainId, type SubnetView } from "../../audit/view.js";
import { SHARED_NAME } from "../../plan/guards/marks.js";
import { childByTag } from "../../tree/lookup.js";
import type { TreeNode } from "../../tree/node.js";

/** What the network service shows, from the tree that its reader makes. `project`: the one that is asked, undefined when all are shown. */
export function networksViewOf(tree: TreeNode, project: string | undefined): NetworksView {
  const networks = childByTag(tree, "networks")?.children ?? [];
  return {
    networks: networks.map(networkView),
    projects: project === undefined ? undefined : new Set([plainId(project)]),
    lookup: undefined,
  };
}

function networkView(entry: TreeNode): NetworkView {
  return {
    id: text(entry, "id") ?? "",
    name: nameOf(entry),
    project: plainId(text(entry, "project_id") ?? text(entry, "tenant_id") ?? ""),
    shared: text(entry, "shared") === "true",
    external: text(entry, "router:external") === "true",
    up: text(entry, "admin_state_up") !== "false",
    isSystem: false,
    subnets: (childByTag(entry, "subnets")?.children ?? []).map(subnetView),
  };
}

function subnetView(entry: TreeNode): SubnetView {
  const gateway = text(entry, "gateway_ip");
  return {
    id: text(entry, "id") ?? "",
    name: nameOf(entry),
    cidr: text(entry, "cidr") ?? "",
    gateway: gateway === "null" ? undefined : gateway,
    dhcp: text(entry, "enable_dhcp") !== "false",
    dns: (childByTag(entry, "dns_nameservers")?.children ?? []).map((member) => member.text),
    pools: (childByTag(entry, "allocation_pools")?.children ?? []).map((pool) => `${text(pool, "start")}-${text(pool, "end")}`),
    routes: (childByTag(entry, "host_routes")?.children ?? []).map(
      (route) => `${text(route, "destination")} via ${text(route, "nexthop")}`,
    ),
  };
}

/** What the service calls it, which is not always its key. */
function nameOf(entry: TreeNode): string {
  return text(entry, "name") ?? entry.attributes?.get(SHARED_NAME) ?? entry.name ?? "";
}

function text(entry: TreeNode, tag: string): string | undefined {
  const leaf = childByTag(entry, tag);
  return leaf === undefined || leaf.text === "" ? undefined : leaf.text;
}
