import { objectAt, objectsAt, textAt } from "../../../core/json/value.js";
import type { Body } from "../../openstack-client/client/request.js";
import type { WriteContext } from "../write/context.js";
import { textOf } from "../write/encode.js";
import { idOf } from "../write/names.js";
import { fixedIps, isDue } from "./network-members.js";
import { networkWriter } from "./network-writer.js";
import { isInterface } from "./router.js";
import { addInterfaces, removeInterface, removeInterfaces } from "./router-interfaces.js";

const GATEWAY = ["external_network", "enable_snat", "external_fixed_ips"];

export const routerObjects = networkWriter({
  list: "routers",
  singular: "router",
  own: [...GATEWAY, "interfaces", "interface_ports"],
  /** A route requires an interface in the subnet of its next hop. */
  late: ["routes"],
  async members(entry, path, context, tags) {
    if (!GATEWAY.some((tag) => isDue(tag, entry, tags))) return {};
    const network = textOf(entry, "external_network");
    if (network === undefined) return tags === undefined ? {} : { external_gateway_info: null };
    const snat = textOf(entry, "enable_snat");
    const gateway: Record<string, Body> = { network_id: await idOf(context, "networks", network, path.child("external_network")) };
    if (snat !== undefined && isDue("enable_snat", entry, tags)) gateway.enable_snat = snat === "true";
    if (isDue("external_fixed_ips", entry, tags)) gateway.external_fixed_ips = await fixedIps(entry, "external_fixed_ips", path, context);
    return { external_gateway_info: gateway };
  },
  addParts: addInterfaces,
  removeParts: removeInterfaces,
  async clear(router, context) {
    const id = textAt(router, "id") ?? "";
    // The service refuses to delete a router with a gateway at the revision that it reports, because it increases the revision first.
    const gateway = objectAt(router, "external_gateway_info") === undefined ? {} : { external_gateway_info: null };
    const cleared = { ...(objectsAt(router, "routes").length > 0 ? { routes: [] } : {}), ...gateway };
    if (Object.keys(cleared).length > 0)
      await context.client.request({ service: "network", method: "PUT", path: ["routers", id], body: { router: cleared } });
    await refreshPorts(id, context);
    for (const port of context.inventory.where("ports", "device_id", id).filter(isInterface)) await removeInterface(id, port, context);
  },
  refresh: { of: ["interfaces", "interface_ports"], read: refreshPorts },
});

/** Reads the ports of a router again, which are its interfaces. */
async function refreshPorts(router: string, { client, inventory }: WriteContext): Promise<void> {
  await inventory.load(["ports"]);
  const now = await client.list({ service: "network", path: ["ports"], collection: "ports", query: [["device_id", router]] });
  for (const port of inventory.where("ports", "device_id", router)) inventory.remove("ports", textAt(port, "id") ?? "");
  for (const port of now) inventory.put("ports", port);
}
