import { PlumblineError } from "../../../core/errors.js";
import { type JsonObject, objectAt, objectsAt, textAt } from "../../../core/json/value.js";
import type { TreeNode } from "../../../core/tree/node.js";
import type { Path } from "../../../core/tree/path.js";
import { OpenstackError } from "../../openstack-client/client/openstack-error.js";
import type { WriteContext } from "../write/context.js";
import { type Members, textOf } from "../write/encode.js";
import { idOf } from "../write/names.js";
import { networkWriter, type Parts } from "./network-writer.js";

/** Refusals that may be resolved by a later write of this run. */
const MAY_PASS: ReadonlySet<string> = new Set(["ExternalGatewayForFloatingIPNotFound", "FloatingIPPortAlreadyAssociated"]);

const TARGET = ["port", "server", "fixed_ip_address"];

/**
 * A floating IP is created without a port and attached by a separate request. If its port is not available yet, it exists in the meantime
 * and is not created a second time.
 */
export const floatingIpObjects = networkWriter({
  list: "floatingips",
  singular: "floatingip",
  isNameless: true,
  own: ["pool", ...TARGET],
  async members(entry, path, context, tags) {
    if (tags !== undefined) return {};
    const pool = textOf(entry, "pool");
    if (pool !== undefined) return { floating_network_id: await idOf(context, "networks", pool, path.child("pool")) };
    throw new PlumblineError("cloud-incomplete-object", `"${path.name}" cannot be created: a floating IP needs its pool`, {
      where: { target: context.client.target, xpath: path.toString() },
      next: "Add pool: to the entry in the desired state, the name of an external network.",
    });
  },
  /** If the port has several addresses, the service requires the fixed address in every update. */
  again(floating) {
    const { port_id = null, fixed_ip_address = null } = floating;
    return port_id === null ? {} : { port_id: String(port_id), fixed_ip_address: String(fixed_ip_address) };
  },
  async addParts(parts) {
    const { before, after, context, path } = parts;
    if (TARGET.every((tag) => textOf(before, tag) === textOf(after, tag))) return false;
    if (await putOn(parts)) return true;
    context.postponed.set(path, async () => {
      if (!(await putOn(parts, true))) throw noTarget(`server "${textOf(after, "server")}" has no port`, path, context);
    });
    return false;
  },
});

/** Attaches the floating IP as in `after`. Returns false if the target is not ready yet but may be later in this run. */
async function putOn({ id, object, path, before, after, context }: Parts, isLast = false): Promise<boolean> {
  const target = await targetOf(after, before, path, context);
  if (target === undefined) return false;
  const { client, inventory } = context;
  const now = inventory.object("floatingips", id) ?? object;
  const ifRevision = typeof now.revision_number === "number" ? now.revision_number : undefined;
  try {
    const request = { service: "network" as const, method: "PUT" as const, path: ["floatingips", id], ifRevision };
    const { body } = await client.request({ ...request, body: { floatingip: target } });
    const floating = objectAt(body, "floatingip");
    if (floating !== undefined) inventory.put("floatingips", floating);
    return true;
  } catch (error) {
    if (!isLast && error instanceof OpenstackError && MAY_PASS.has(error.type ?? "")) return false;
    throw error;
  }
}

/** Returns the target to send. Undefined if the server is not built far enough to have a port. */
async function targetOf(after: TreeNode, before: TreeNode | undefined, path: Path, context: WriteContext): Promise<Members | undefined> {
  const [port, server, fixed] = TARGET.map((tag) => textOf(after, tag));
  const isFixedNew = fixed !== textOf(before, "fixed_ip_address");
  if (port !== undefined) {
    const port_id = await idOf(context, "ports", port, path.child("port"));
    const isHeld = addressesOf(context.inventory.object("ports", port_id)).includes(fixed ?? "");
    return { port_id, ...(fixed !== undefined && (isFixedNew || isHeld) ? { fixed_ip_address: fixed } : {}) };
  }
  if (server === undefined) return { port_id: null };
  const id = await idOf(context, "servers", server, path.child("server"));
  const ports = await context.client.list({ service: "network", path: ["ports"], collection: "ports", query: [["device_id", id]] });
  for (const each of ports) context.inventory.put("ports", each);
  const all = ports.flatMap((each) =>
    addressesOf(each).map((address) => ({ port_id: textAt(each, "id") ?? "", fixed_ip_address: address })),
  );
  if (all.length === 0 && context.building.has(id)) return undefined;
  const meant = all.filter(({ fixed_ip_address }) => fixed_ip_address === fixed);
  if (fixed !== undefined && isFixedNew && meant.length === 0) throw noTarget(`server "${server}" has no address ${fixed}`, path, context);
  const [only, ...others] = meant.length > 0 ? meant : all;
  if (only === undefined) throw noTarget(`server "${server}" has no port with an IPv4 address`, path, context);
  if (others.length === 0) return only;
  const addresses = all.map(({ fixed_ip_address }) => fixed_ip_address).join(", ");
  throw noTarget(`server "${server}" has several addresses (${addresses}), and fixed_ip_address does not select one`, path, context);
}

function addressesOf(port: JsonObject | undefined): string[] {
  const addresses = objectsAt(port ?? {}, "fixed_ips").map((each) => textAt(each, "ip_address") ?? "");
  return addresses.filter((address) => !address.includes(":"));
}

function noTarget(words: string, path: Path, { client }: WriteContext): PlumblineError {
  return new PlumblineError("floating-ip-target", `"${path.name}" is put nowhere: ${words}`, {
    where: { target: client.target, xpath: path.toString() },
    next: "Correct server: or fixed_ip_address: of the entry, or name the port. The floating IP exists and keeps its address.",
  });
}
