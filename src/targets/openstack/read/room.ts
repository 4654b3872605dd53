import { PlumblineError } from "../../../core/errors.js";
import { type Json, type JsonObject, objectAt } from "../../../core/json/value.js";
import { childByTag } from "../../../core/tree/lookup.js";
import { TreeNode } from "../../../core/tree/node.js";
import type { Path } from "../../../core/tree/path.js";
import type { Shortage } from "../../../engine/target.js";
import type { Change } from "../../../plan/diff/change.js";
import type { OpenstackClient } from "../client/client.js";
import type { ServiceType } from "../client/request.js";
import type { Inventory } from "./inventory.js";

/** What an entry of a list takes one of, in the words of the service that limits it. */
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

/** What the other services call their limits: that, and what is used of it. */
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
  /** The first entry that takes of it. */
  readonly path: Path;
}

/**
 * What changes take more of than the quotas of the project leave, all told: what goes counts against what comes. One request for each
 * service that is to make something; one that does not say has room.
 */
export async function shortages(changes: readonly Change[], inventory: Inventory, client: OpenstackClient): Promise<Shortage[]> {
  const needs = [...needsOf(changes, inventory)].filter(([, { more }]) => more > 0);
  const services = new Set(needs.map(([resource]) => serviceOf(resource)));
  const said = new Map(await Promise.all([...services].map(async (each) => [each, await limitsOf(each, client)] as const)));
  return needs.flatMap(([resource, { more, path }]) => {
    const [limit, used] = roomFor(resource, said.get(serviceOf(resource)) ?? {});
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

/** Ports that the services make for an entry: for each network of a server that names no port, and each subnet of a router. */
function portsMadeFor(list: string, node: TreeNode): number {
  if (list === "routers") return childByTag(node, "interfaces")?.children.length ?? 0;
  if (list !== "servers") return 0;
  return (childByTag(node, "networks")?.children ?? []).filter((row) => childByTag(row, "port") === undefined).length;
}

/** How many interfaces more a router or server has, whose ports the services make, by a change of their list, or of one of them. */
function moreInterfaces(change: Change): number {
  const of = (node: TreeNode): number => {
    if (node.tag !== "interfaces" && node.tag !== "networks") return childByTag(node, "port") === undefined ? 1 : 0;
    return node.tag === "interfaces" ? node.children.length : portsMadeFor("servers", new TreeNode("entry", undefined, "", [node]));
  };
  if (change.kind === "missing") return of(change.after);
  if (change.kind === "extra") return -of(change.before);
  return change.kind === "differs" ? of(change.after) - of(change.before) : 0;
}

/** The list of a standing router's subnets, or of a server's networks, or one of these. */
function isInterface(path: Path): boolean {
  const [, list, , field] = path.steps();
  return (list?.tag === "routers" && field?.tag === "interfaces") || (list?.tag === "servers" && field?.tag === "networks");
}

function textOf(node: TreeNode, tag: string): string {
  return childByTag(node, tag)?.text ?? "";
}

/** 0 of what is not said: what it is made from says it. */
function numberOf(node: TreeNode, tag: string): number {
  return Number(textOf(node, tag)) || 0;
}

/** The limit, and what is taken of it or promised to somebody. */
function roomFor(resource: string, said: JsonObject): readonly [number | undefined, number | undefined] {
  const names = ABSOLUTE[resource];
  if (names !== undefined) return [asNumber(said[names[1]]), asNumber(said[names[2]])];
  const { limit, used, reserved } = objectAt(said, resource) ?? {};
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
    // Whether it fits is found out at the latest when it is made.
    if (!(error instanceof PlumblineError)) throw error;
    return {};
  }
}
