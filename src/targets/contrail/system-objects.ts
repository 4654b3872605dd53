import type { JsonObject } from "../../core/json/value.js";
import { objectAt } from "../../core/json/value.js";

const OWN = "default-domain:default-project:";
/** What the controller makes for itself in its own project (docs/devices/contrail.md#system-objects). */
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
/** What its services make in the projects of tenants. */
const OF_SERVICES = /^(snat-si-(left|right)_|svc-vn-(mgmt|left|right)$|__contrail_)/;

/** True for an object that the controller or its services live by: its list shows it like any other, and a delete would succeed. */
export function isSystemObject(name: string): boolean {
  if (name.startsWith(OWN) && OWN_NAMES.has(name.slice(OWN.length))) return true;
  return OF_SERVICES.test(name.split(":").at(-1) ?? "");
}

/** True where the controller hides the object from ordinary users: its services made it. */
export function isHiddenFromUsers(document: JsonObject): boolean {
  return objectAt(document, "id_perms")?.user_visible === false;
}
