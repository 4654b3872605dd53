import { type JsonObject, objectsAt, textAt } from "../../../core/json/value.js";
import type { TreeNode } from "../../../core/tree/node.js";
import type { Path } from "../../../core/tree/path.js";
import { isNotFound } from "../../openstack-client/client/openstack-error.js";
import type { Body } from "../../openstack-client/client/request.js";
import { networkMark } from "../owner-marks.js";
import { entryNode } from "../read/read-tree.js";
import { ROOT_PATH } from "../shape.js";
import type { WriteContext } from "../write/context.js";
import { textsOf } from "../write/encode.js";
import { idOf } from "../write/names.js";
import type { Parts } from "./network-writer.js";
import { portObjects } from "./network-writers.js";
import { ports } from "./port.js";
import { isInterface } from "./router.js";

/** How a router is attached to a subnet: by the subnet, with its gateway address, or by a declared port with its own address. */
interface Interface {
  readonly by: "subnet_id" | "port_id";
  readonly id: string;
  readonly subnets: readonly string[];
}

/** Adds new interfaces. An old interface in the subnet of a new one is removed first, because a router has one interface per subnet. */
export async function addInterfaces(parts: Parts): Promise<boolean> {
  const { id, context } = parts;
  const { coming, going } = await changesOf(parts);
  const wanted = new Set(coming.flatMap(({ subnets }) => subnets));
  for (const each of going) if (each.subnets.some((subnet) => wanted.has(subnet))) await remove(id, each, context);
  for (const { by, id: what } of coming) await put("add_router_interface", id, { [by]: what }, context);
  return coming.length > 0;
}

export async function removeInterfaces(parts: Parts): Promise<void> {
  const { going } = await changesOf(parts);
  for (const each of going) await remove(parts.id, each, parts.context);
}

async function changesOf({ path, before, after, context }: Parts) {
  const [had, wanted] = [before, after].map((entry) => namesIn(entry));
  const only = (one: readonly Name[] = [], other: readonly Name[] = []) =>
    one.filter(({ tag, key }) => !other.some((each) => each.tag === tag && each.key === key));
  const resolve = (names: readonly Name[]) => Promise.all(names.map((name) => interfaceOf(name, path, context)));
  return { coming: await resolve(only(wanted, had)), going: await resolve(only(had, wanted)) };
}

interface Name {
  readonly tag: "interfaces" | "interface_ports";
  readonly key: string;
}

function namesIn(entry: TreeNode | undefined): Name[] {
  return (["interfaces", "interface_ports"] as const).flatMap((tag) => textsOf(entry, tag).map((key) => ({ tag, key })));
}

async function interfaceOf({ tag, key }: Name, path: Path, context: WriteContext): Promise<Interface> {
  const at = path.child(tag).member(key);
  if (tag === "interfaces") {
    const id = await idOf(context, "subnets", key, at);
    return { by: "subnet_id", id, subnets: [id] };
  }
  const id = await idOf(context, "ports", key, at);
  return { by: "port_id", id, subnets: subnetsOf(context.inventory.object("ports", id) ?? {}) };
}

function subnetsOf(port: JsonObject): string[] {
  return objectsAt(port, "fixed_ips").map((each) => textAt(each, "subnet_id") ?? "");
}

async function remove(router: string, { by, id }: Interface, context: WriteContext): Promise<void> {
  const interfaces = context.inventory.where("ports", "device_id", router).filter(isInterface);
  for (const port of interfaces) {
    const isMeant = by === "port_id" ? textAt(port, "id") === id : networkMark(port) === undefined && subnetsOf(port).includes(id);
    if (isMeant) await removeInterface(router, port, context);
  }
}

/** The service deletes the port with the interface. A declared port is created again, unattached. */
export async function removeInterface(router: string, port: JsonObject, context: WriteContext): Promise<void> {
  const { inventory } = context;
  const id = textAt(port, "id") ?? "";
  const entry = networkMark(port) === undefined ? undefined : entryNode(ports, port, inventory);
  await put("remove_router_interface", router, { port_id: id }, context).catch(unlessNotFound);
  inventory.remove("ports", id);
  if (entry !== undefined) await portObjects.create(entry, ROOT_PATH.child("ports").entry(entry.name ?? ""), context);
}

function unlessNotFound(error: unknown): void {
  if (!isNotFound(error)) throw error;
}

async function put(action: string, router: string, body: Readonly<Record<string, Body>>, { client }: WriteContext): Promise<void> {
  await client.request({ service: "network", method: "PUT", path: ["routers", router, action], body });
}
