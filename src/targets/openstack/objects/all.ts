import { flavors, images, projects } from "./catalog.js";
import { keyPairs } from "./key-pair.js";
import type { ListName, ObjectKind } from "./kinds.js";
import { networks } from "./network.js";
import { ports } from "./port.js";
import { routers } from "./router.js";
import { securityGroups } from "./security-group.js";
import { servers } from "./server.js";
import { subnets } from "./subnet.js";

const KINDS: Readonly<Record<ListName, ObjectKind>> = {
  networks,
  subnets,
  routers,
  security_groups: securityGroups,
  ports,
  keypairs: keyPairs,
  servers,
  images,
  flavors,
  projects,
};

export function kindOf(list: ListName): ObjectKind {
  return KINDS[list];
}
