import { PlumblineError } from "../../../core/errors.js";
import { type Json, type JsonObject, objectAt } from "../../../core/json/value.js";
import { childByTag } from "../../../core/tree/lookup.js";
import { TreeNode } from "../../../core/tree/node.js";
import type { Path } from "../../../core/tree/path.js";
import type { Shortage } from "../../../engine/target.js";
import type { Change } from "../../../plan/diff/change.js";
import type { OpenstackClient } from "../../openstack-client/client/client.js";
import type { ServiceType } from "../../openstack-client/client/request.js";
import type { Inventory } from "./inventory.js";

/** Quota resource that one entry of each list uses, with the name of the service. */
const TAKEN: Readonly<Record<string, string>> = {
  networks: "network",
  subnets: "subnet",
  subnetpools: "subnetpool",
  routers: "router",
  security_groups: "security_group",
  rules: "security_group_rule",
  ports: "port",
  trunks: "trunk",
  floatingips: "floatingip",
  servers: "instances",
  server_groups: "server_groups",
  volumes: "volumes",
};

/** Names of limit and usage in the compute and volume services. */
const ABSOLUTE: Readonly<Record<string, readonly [service: ServiceType, limit: string, used: string]>> = {
  instances: ["compute", "maxTotalInstances", "totalInstancesUsed"],
  cores: ["compute", "maxTotalCores", "totalCoresUsed"],
  ram: ["compute", "maxTotalRAMSize", "totalRAMUsed"],
  server_groups: ["compute", "maxServerGroups", "totalServerGroupsUsed"],
  volumes: ["volume", "maxTotalVolumes", "totalVolumesUsed"],
  gigabytes: ["volume", "maxTotalVolumeGigabytes", "totalGigabytesUsed"],
};

interface Need {
  more: number;
  /** The first entry that needs the resource. */
  readonly path: Path;
}

/**
 * Reports resources for which the changes exceed the project's quota. Deletions count against creations. It sends one request per service
 * that creates something. If the service reports no limit, there is none.
 */
export async function shortages(changes: readonly Change[], inventory: Inventory, client: OpenstackClient): Promise<Shortage[]> {
  const needs = [...needsOf(changes, inventory)].filter(([, { more }]) => more > 0);
  const services = new Set(needs.map(([resource]) => serviceOf(resource)));
  const limits = new Map(await Promise.all([...services].map(async (each) => [each, await limitsOf(each, client)] as const)));
  return needs.flatMap(([resource, { more, path }]) => {
    const [limit, used] = roomFor(resource, limits.get(serviceOf(resource)) ?? {});
    if (limit === undefined || used === undefined || limit < 0 || used + more <= limit) return [];
    const left = Math.max(0, limit - used);
    return [{ path, message: `The quota leaves ${left} of "${resource}" (${limit}, ${used} used), and this plan takes ${more} more.` }];
  });
}

function serviceOf(resource: string): ServiceType {
  return ABSOLUTE[resource]?.[0] ?? "network";
}

function needsOf(changes: readonly Change[], inventory: Inventory): Map<string, Need> {
  const needs = new Map<string, Need>();
  const take = (resource: string | undefined, more: number, path: Path): void => {
    if (resource === undefined || more === 0) return;
    const need = needs.get(resource);
    if (need === undefined) needs.set(resource, { more, path });
    else need.more += more;
  };
  const takeSize = (list: string, node: TreeNode, sign: number, path: Path): void => {
    if (list === "volumes") take("gigabytes", sign * numberOf(node, "size"), path);
    if (list !== "servers") return;
    const flavor = inventory.has("flavors") ? inventory.object("flavors", inventory.idsOf("flavors", textOf(node, "flavor"))[0] ?? "") : {};
    take("cores", sign * Number(flavor?.vcpus ?? 0), path);
    take("ram", sign * Number(flavor?.ram ?? 0), path);
  };
  const count = (node: TreeNode, path: Path, sign: number): void => {
    const list = path.parent?.tag ?? "";
    if (path.name !== undefined) {
      take(TAKEN[list], sign, path);
      take("port", sign * portsMadeFor(list, node), path);
      takeSize(list, node, sign, path);
    }
    for (const child of node.children) {
      if (path.name === undefined && child.name !== undefined) count(child, path.entry(child.name), sign);
      else if (child.tag === "subnets" || child.tag === "rules") count(child, path.child(child.tag), sign);
    }
  };
  for (const change of changes) {
    const { path, kind } = change;
    if (isInterface(path)) take("port", moreInterfaces(change), path);
    else if (kind === "missing") count(change.after, path, 1);
    else if (kind === "extra") count(change.before, path, -1);
    else if (kind === "differs" && (path.tag === "size" || path.tag === "flavor") && path.parent !== undefined) {
      const list = path.parent.parent?.tag ?? "";
      for (const [node, sign] of [[change.after, 1] as const, [change.before, -1] as const])
        takeSize(list, new TreeNode("entry", undefined, "", [node]), sign, path.parent);
    }
  }
  return needs;
}

/** Number of ports that the services create for an entry: one per server network without a port, and one per router subnet. */
function portsMadeFor(list: string, node: TreeNode): number {
  if (list === "routers") return childByTag(node, "interfaces")?.children.length ?? 0;
  if (list !== "servers") return 0;
  return (childByTag(node, "networks")?.children ?? []).filter((row) => childByTag(row, "port") === undefined).length;
}

/** Returns by how much a change of interfaces increases the number of ports that the services create. */
function moreInterfaces(change: Change): number {
  const of = (node: TreeNode): number => {
    if (node.tag !== "interfaces" && node.tag !== "networks") return childByTag(node, "port") === undefined ? 1 : 0;
    return node.tag === "interfaces" ? node.children.length : portsMadeFor("servers", new TreeNode("entry", undefined, "", [node]));
  };
  if (change.kind === "missing") return of(change.after);
  if (change.kind === "extra") return -of(change.before);
  return change.kind === "differs" ? of(change.after) - of(change.before) : 0;
}

/** Whether the path is the interfaces of an existing router, the networks of an existing server, or one of their entries. */
function isInterface(path: Path): boolean {
  const [, list, , field] = path.steps();
  return (list?.tag === "routers" && field?.tag === "interfaces") || (list?.tag === "servers" && field?.tag === "networks");
}

function textOf(node: TreeNode, tag: string): string {
  return childByTag(node, tag)?.text ?? "";
}

/** 0 if the document has no value: then the source decides. */
function numberOf(node: TreeNode, tag: string): number {
  return Number(textOf(node, tag)) || 0;
}

/** Returns the limit, and the usage including reservations. */
function roomFor(resource: string, limits: JsonObject): readonly [number | undefined, number | undefined] {
  const names = ABSOLUTE[resource];
  if (names !== undefined) return [asNumber(limits[names[1]]), asNumber(limits[names[2]])];
  const { limit, used, reserved } = objectAt(limits, resource) ?? {};
  return [asNumber(limit), typeof used === "number" ? used + (asNumber(reserved) ?? 0) : undefined];
}

function asNumber(value: Json | undefined): number | undefined {
  return typeof value === "number" ? value : undefined;
}

async function limitsOf(service: ServiceType, client: OpenstackClient): Promise<JsonObject> {
  try {
    const { project } = await client.session();
    const path = service === "network" ? ["quotas", project?.id ?? "", "details.json"] : ["limits"];
    const { body } = await client.request({ service, method: "GET", path });
    return objectAt(body, "quota") ?? objectAt(objectAt(body, "limits") ?? {}, "absolute") ?? {};
  } catch (error) {
    // If the resource is missing, the create fails later.
    if (!(error instanceof PlumblineError)) throw error;
    return {};
  }
}
