import { addressGroups, availabilityZones, flavors, images, projects, snapshots } from "./catalog.js";
import { floatingIps } from "./floating-ip.js";
import { keyPairs } from "./key-pair.js";
import type { ListName, ObjectKind } from "./kinds.js";
import { networks } from "./network.js";
import { ports } from "./port.js";
import { routers } from "./router.js";
import { securityGroups } from "./security-group.js";
import { servers } from "./server.js";
import { serverGroups } from "./server-group.js";
import { rbacPolicies } from "./shares.js";
import { subnets } from "./subnet.js";
import { subnetPools } from "./subnet-pool.js";
import { trunks } from "./trunk.js";
import { volumes } from "./volume.js";

const KINDS: Readonly<Record<ListName, ObjectKind>> = {
  networks,
  subnetpools: subnetPools,
  subnets,
  routers,
  security_groups: securityGroups,
  address_groups: addressGroups,
  ports,
  trunks,
  rbac_policies: rbacPolicies,
  keypairs: keyPairs,
  server_groups: serverGroups,
  servers,
  floatingips: floatingIps,
  volumes,
  snapshots,
  images,
  flavors,
  availability_zones: availabilityZones,
  projects,
};

export function kindOf(list: ListName): ObjectKind {
  return KINDS[list];
}
