import { floatingIpObjects } from "./floating-ip-writer.js";
import { keyPairObjects } from "./key-pair-writer.js";
import type { ListName } from "./kinds.js";
import { networkObjects, portObjects, subnetObjects } from "./network-writers.js";
import { routerObjects } from "./router-writer.js";
import { securityGroupObjects } from "./security-group-writer.js";
import { serverGroupObjects } from "./server-group-writer.js";
import { serverObjects } from "./server-writer.js";
import { subnetPoolObjects } from "./subnet-pool-writer.js";
import { trunkObjects } from "./trunk-writer.js";
import { volumeObjects } from "./volume-writer.js";
import type { ObjectWriter } from "./writers.js";

const WRITERS: ReadonlyMap<ListName, ObjectWriter> = new Map([
  ["networks", networkObjects],
  ["subnetpools", subnetPoolObjects],
  ["subnets", subnetObjects],
  ["routers", routerObjects],
  ["security_groups", securityGroupObjects],
  ["ports", portObjects],
  ["trunks", trunkObjects],
  ["keypairs", keyPairObjects],
  ["server_groups", serverGroupObjects],
  ["servers", serverObjects],
  ["floatingips", floatingIpObjects],
  ["volumes", volumeObjects],
]);

export function writerOf(list: ListName): ObjectWriter {
  const writer = WRITERS.get(list);
  if (writer === undefined) throw new Error(`objects of ${list} are only read`);
  return writer;
}
