import { PlumblineError } from "../../../core/errors.js";
import { objectAt, objectsAt, textAt } from "../../../core/json/value.js";
import type { TreeNode } from "../../../core/tree/node.js";
import type { Path } from "../../../core/tree/path.js";
import type { Body } from "../client/request.js";
import { isMadeByService } from "../read/render.js";
import type { WriteContext } from "../write/context.js";
import { rowsOf, textOf, textsOf } from "../write/encode.js";
import { idOf } from "../write/names.js";
import { networkWriter } from "./network-writer.js";
import { isInterface } from "./router.js";

export const networkObjects = networkWriter({ list: "networks", singular: "network", own: ["subnets"] });

export const subnetObjects = networkWriter({
  list: "subnets",
  singular: "subnet",
  own: [],
  async members(entry, path, context, tags) {
    if (tags !== undefined) return {};
    const network = path.parent?.parent;
    const cidr = textOf(entry, "cidr");
    if (cidr === undefined) throw incomplete("a subnet needs its cidr", path, context);
    return {
      network_id: await idOf(context, "networks", network?.name ?? "", network ?? path),
      ip_version: cidr.includes(":") ? 6 : 4,
    };
  },
});

export const portObjects = networkWriter({
  list: "ports",
  singular: "port",
  own: ["network", "fixed_ips", "security_groups"],
  async members(entry, path, context, tags) {
    const said: Record<string, Body> = {};
    if (tags === undefined) {
      const network = textOf(entry, "network");
      if (network === undefined) throw incomplete("a port needs its network", path, context);
      said.network_id = await idOf(context, "networks", network, path.child("network"));
    }
    if (isDue("fixed_ips", entry, tags)) said.fixed_ips = await fixedIps(entry, "fixed_ips", path, context);
    if (isDue("security_groups", entry, tags)) {
      const at = path.child("security_groups");
      said.security_groups = await Promise.all(
        textsOf(entry, "security_groups").map((key) => idOf(context, "security_groups", key, at.member(key))),
      );
    }
    return said;
  },
});

const GATEWAY = ["external_network", "enable_snat", "external_fixed_ips"];

export const routerObjects = networkWriter({
  list: "routers",
  singular: "router",
  own: [...GATEWAY, "interfaces"],
  /** A route leads through a subnet that the router stands in. */
  late: ["routes"],
  async members(entry, path, context, tags) {
    if (!GATEWAY.some((tag) => isDue(tag, entry, tags))) return {};
    const network = textOf(entry, "external_network");
    if (network === undefined) return tags === undefined ? {} : { external_gateway_info: null };
    const snat = textOf(entry, "enable_snat");
    const said: Record<string, Body> = { network_id: await idOf(context, "networks", network, path.child("external_network")) };
    if (snat !== undefined && isDue("enable_snat", entry, tags)) said.enable_snat = snat === "true";
    if (isDue("external_fixed_ips", entry, tags)) said.external_fixed_ips = await fixedIps(entry, "external_fixed_ips", path, context);
    return { external_gateway_info: said };
  },
  async addParts({ id, path, before, after, context }) {
    const had = new Set(textsOf(before, "interfaces"));
    const added = textsOf(after, "interfaces").filter((key) => !had.has(key));
    for (const key of added) await putInterface("add_router_interface", id, key, path, context);
    return added.length > 0;
  },
  async removeParts({ id, path, before, after, context }) {
    const wanted = new Set(textsOf(after, "interfaces"));
    for (const key of textsOf(before, "interfaces"))
      if (!wanted.has(key)) await putInterface("remove_router_interface", id, key, path, context);
  },
  async clear(router, context) {
    const id = textAt(router, "id") ?? "";
    // The service refuses to delete a router with a gateway at the revision that it shows: it counts on before it looks.
    const gateway = objectAt(router, "external_gateway_info") === undefined ? {} : { external_gateway_info: null };
    const cleared = { ...(objectsAt(router, "routes").length > 0 ? { routes: [] } : {}), ...gateway };
    if (Object.keys(cleared).length > 0)
      await context.client.request({ service: "network", method: "PUT", path: ["routers", id], body: { router: cleared } });
    await refreshPorts(id, context);
    for (const port of context.inventory.where("ports", "device_id", id).filter(isInterface))
      await context.client.request({
        service: "network",
        method: "PUT",
        path: ["routers", id, "remove_router_interface"],
        body: { port_id: textAt(port, "id") ?? "" },
      });
  },
  refresh: { of: "interfaces", read: refreshPorts },
});

async function putInterface(action: string, router: string, subnet: string, path: Path, context: WriteContext): Promise<void> {
  const subnet_id = await idOf(context, "subnets", subnet, path.child("interfaces").member(subnet));
  await context.client.request({ service: "network", method: "PUT", path: ["routers", router, action], body: { subnet_id } });
}

/** What the ports of a router are now: its interfaces. */
async function refreshPorts(router: string, { client, inventory }: WriteContext): Promise<void> {
  await inventory.load(["ports"]);
  const now = await client.list({ service: "network", path: ["ports"], collection: "ports", query: [["device_id", router]] });
  for (const port of inventory.where("ports", "device_id", router)) inventory.remove("ports", textAt(port, "id") ?? "");
  for (const port of now) inventory.put("ports", port);
}

/** Addresses that the service gives by itself cannot be asked for. */
async function fixedIps(entry: TreeNode, tag: string, path: Path, context: WriteContext): Promise<Body> {
  const addressed = rowsOf(entry, tag).filter((row) => !isMadeByService(row));
  return await Promise.all(
    addressed.map(async (row): Promise<Body> => {
      const subnet = textOf(row, "subnet");
      const at = path.child(tag).entry(row.name ?? "");
      const said: Record<string, Body> = {};
      if (subnet !== undefined) said.subnet_id = await idOf(context, "subnets", subnet, at.child("subnet"));
      const address = textOf(row, "ip_address");
      if (address !== undefined) said.ip_address = address;
      return said;
    }),
  );
}

/** Whether a child of the entry is to be sent: in an update where it differs, in a create where it is said. */
function isDue(tag: string, entry: TreeNode, tags: ReadonlySet<string> | undefined): boolean {
  return tags === undefined ? entry.children.some((child) => child.tag === tag) : tags.has(tag);
}

function incomplete(words: string, path: Path, { client }: WriteContext): PlumblineError {
  return new PlumblineError("cloud-incomplete-object", `"${path.name}" cannot be made: ${words}`, {
    where: { target: client.target, xpath: path.toString() },
    next: "Add it to the entry in the desired state.",
  });
}
