import { objectAt, objectsAt, textAt } from "../../../core/json/value.js";
import type { OpenstackClient } from "../../openstack-client/client/client.js";
import { isNotFound } from "../../openstack-client/client/openstack-error.js";
import { macOf, macsOf } from "../objects/server-interfaces.js";
import { portsOf } from "../objects/trunk.js";
import type { Inventory } from "./inventory.js";

type Completed = "ports" | "networks";

/**
 * Reads by id the ports and networks that other objects refer to but that a list omitted. Otherwise an outdated list would give a server a
 * second interface, or remove a subport of a trunk.
 */
export async function readOmitted(inventory: Inventory, client: OpenstackClient): Promise<void> {
  if (!inventory.has("ports")) return;
  await include("ports", [...referredPorts(inventory), ...(await unlistedInterfaces(inventory, client))], inventory, client);
  if (!inventory.has("networks")) return;
  const networks = [...inventory.objects("ports")].map((port) => textAt(port, "network_id"));
  await include("networks", networks, inventory, client);
}

function referredPorts(inventory: Inventory): (string | undefined)[] {
  const trunks = inventory.has("trunks") ? [...inventory.objects("trunks")].flatMap(portsOf) : [];
  const floating = inventory.has("floatingips") ? [...inventory.objects("floatingips")].map((each) => textAt(each, "port_id")) : [];
  return [...trunks, ...floating];
}

/** Returns the port ids of servers that show a MAC address without a listed port. */
async function unlistedInterfaces(inventory: Inventory, client: OpenstackClient): Promise<string[]> {
  if (!inventory.has("servers")) return [];
  const servers = [...inventory.objects("servers")].filter((server) => {
    const listed = new Set(inventory.where("ports", "device_id", textAt(server, "id") ?? "").map(macOf));
    return macsOf(server).some((mac) => !listed.has(mac));
  });
  const found = await Promise.all(
    servers.map(async (server) => {
      const path = ["servers", textAt(server, "id") ?? "", "os-interface"];
      const reply = await ifFound(() => client.request({ service: "compute", method: "GET", path }));
      return objectsAt(reply?.body ?? {}, "interfaceAttachments").map((each) => textAt(each, "port_id") ?? "");
    }),
  );
  return found.flat();
}

async function include(
  list: Completed,
  ids: readonly (string | undefined)[],
  inventory: Inventory,
  client: OpenstackClient,
): Promise<void> {
  const missing = [...new Set(ids)].filter((id): id is string => id !== undefined && inventory.object(list, id) === undefined);
  await Promise.all(
    missing.map(async (id) => {
      const reply = await ifFound(() => client.request({ service: "network", method: "GET", path: [list, id] }));
      const object = objectAt(reply?.body ?? {}, list === "ports" ? "port" : "network");
      if (object !== undefined) await inventory.include(list, object);
    }),
  );
}

async function ifFound<Reply>(read: () => Promise<Reply>): Promise<Reply | undefined> {
  try {
    return await read();
  } catch (error) {
    if (!isNotFound(error)) throw error;
    return undefined;
  }
}
