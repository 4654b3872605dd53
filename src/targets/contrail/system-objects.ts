import type { JsonObject } from "../../core/json/value.js";
import { objectAt } from "../../core/json/value.js";

const OWN = "default-domain:default-project:";
/** Objects that the controller creates for itself in its own project (docs/contributing/devices/contrail.md#system-objects). */
const OWN_NAMES: ReadonlySet<string> = new Set([
  "ip-fabric",
  "__link_local__",
  "default-virtual-network",
  "dci-network",
  "default-network-ipam",
  "default-network-policy",
  "service-chain-flat-ipam",
  "default",
  "__no_rule__",
]);
/** Objects that its services create in the projects of tenants. */
const OF_SERVICES = /^(snat-si-(left|right)_|svc-vn-(mgmt|left|right)$|__contrail_)/;

/**
 * Returns true for an object that the controller or its services need. Its list shows it like any other, and the controller would accept a
 * delete.
 */
export function isSystemObject(name: string): boolean {
  if (name.startsWith(OWN) && OWN_NAMES.has(name.slice(OWN.length))) return true;
  return OF_SERVICES.test(name.split(":").at(-1) ?? "");
}

/** Returns true for an object that a service created and that the controller hides from ordinary users. */
export function isHiddenFromUsers(document: JsonObject): boolean {
  return objectAt(document, "id_perms")?.user_visible === false;
}
