import type { ContrailWorld } from "./world.js";

const PROJECT = ["default-domain", "default-project"];

/** Creates the objects that a controller creates in an empty database (docs/contributing/devices/contrail.md#system-objects). */
export function addSystemObjects(world: ContrailWorld): void {
  world.create("global-system-config", { fq_name: ["default-global-system-config"], autonomous_system: 64512, config_version: "1.0" });
  world.create("api-access-list", {
    fq_name: ["default-global-system-config", "default-api-access-list"],
    parent_type: "global-system-config",
    api_access_list_entries: { rbac_rule: ["fqname-to-id", "id-to-fqname", "useragent-kv", "documentation", "/"].map(openToAll) },
  });
  world.create("domain", { fq_name: ["default-domain"], parent_type: "config-root" });
  world.create("project", { fq_name: PROJECT, parent_type: "domain" });
  world.create("network-ipam", { fq_name: [...PROJECT, "default-network-ipam"] });
  world.create("network-ipam", {
    fq_name: [...PROJECT, "service-chain-flat-ipam"],
    ipam_subnet_method: "flat-subnet",
    ipam_subnets: {
      subnets: [{ subnet: { ip_prefix: "0.0.0.0", ip_prefix_len: 8 } }],
    },
  });
  for (const name of ["default-virtual-network", "ip-fabric", "__link_local__", "dci-network"]) {
    world.create("virtual-network", { fq_name: [...PROJECT, name] });
  }
  for (const name of ["default-security-group", "__no_rule__"]) world.create("security-group", { fq_name: [...PROJECT, name] });
}

function openToAll(object: string) {
  return { rule_object: object, rule_field: "", rule_perms: [{ role_name: "*", role_crud: "CRUD" }] };
}
