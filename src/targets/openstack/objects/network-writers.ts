import { PlumblineError } from "../../../errors.js";
import { type JsonObject, objectAt, objectsAt, textAt } from "../../../json/value.js";
import type { TreeNode } from "../../../tree/node.js";
import type { Path } from "../../../tree/path.js";
import { isNotFound, OpenstackError } from "../client/openstack-error.js";
import type { Body } from "../client/request.js";
import { isMadeByService } from "../read/render.js";
import type { WriteContext } from "../write/context.js";
import { type Members, membersOf, rowsOf, textOf, textsOf } from "../write/encode.js";
import { idOf } from "../write/names.js";
import { kindOf } from "./all.js";
import { networkWriter, type Parts } from "./network-writer.js";
import { isInterface } from "./router.js";
import { ruleName } from "./security-group.js";

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
    for (const key of textsOf(after, "interfaces")) if (!had.has(key)) await putInterface("add_router_interface", id, key, path, context);
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
  refresh: refreshPorts,
});

export const securityGroupObjects = networkWriter({
  list: "security_groups",
  singular: "security_group",
  own: ["rules"],
  /** A rule has no update: one whose description differs is deleted and made again. */
  async addParts(parts) {
    const { object, before, after, context } = parts;
    const had = new Map(rowsOf(before, "rules").map((rule) => [rule.name, rule]));
    for (const rule of rowsOf(after, "rules")) {
      const live = had.get(rule.name);
      if (live !== undefined && textOf(live, "description") === textOf(rule, "description")) continue;
      if (live !== undefined) await deleteRule(live, object, context);
      await addRule(rule, parts);
    }
  },
  async removeParts({ object, before, after, context }) {
    const wanted = new Set(rowsOf(after, "rules").map(({ name }) => name));
    for (const rule of rowsOf(before, "rules")) if (!wanted.has(rule.name)) await deleteRule(rule, object, context);
  },
});

async function deleteRule(rule: TreeNode, group: JsonObject, { client, inventory }: WriteContext): Promise<void> {
  const live = objectsAt(group, "security_group_rules").find((each) => ruleName(each, inventory) === rule.name);
  const id = live === undefined ? undefined : textAt(live, "id");
  if (id === undefined) return;
  await client.request({ service: "network", method: "DELETE", path: ["security-group-rules", id] }).catch((error: unknown) => {
    if (!isNotFound(error)) throw error;
  });
}

/** A rule that is there already, as those that every new group is given, is as good as made. */
async function addRule(rule: TreeNode, { id, path, context }: Parts): Promise<void> {
  const shape = kindOf("security_groups").entry.child("rules").child("entry");
  const remote = textOf(rule, "remote_group");
  const at = path.child("rules").entry(rule.name ?? "");
  const said: Members = {
    security_group_id: id,
    ...membersOf(rule, shape, new Set(["remote_group"])),
    ...(remote === undefined ? {} : { remote_group_id: remote === path.name ? id : await idOf(context, "security_groups", remote, at) }),
  };
  try {
    await context.client.request({
      service: "network",
      method: "POST",
      path: ["security-group-rules"],
      body: { security_group_rule: said },
    });
  } catch (error) {
    if (!(error instanceof OpenstackError) || error.type !== "SecurityGroupRuleExists") throw error;
  }
}

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
