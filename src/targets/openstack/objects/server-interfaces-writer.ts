import { PlumblineError } from "../../../core/errors.js";
import { type JsonObject, objectAt, objectsAt, textAt, texts } from "../../../core/json/value.js";
import type { TreeNode } from "../../../core/tree/node.js";
import type { Path } from "../../../core/tree/path.js";
import { isNotFound, isOutcomeUnknown } from "../../openstack-client/client/openstack-error.js";
import { networkMark } from "../owner-marks.js";
import type { WriteContext } from "../write/context.js";
import { type Members, rowsOf, textOf, textsOf } from "../write/encode.js";
import { idOf } from "../write/names.js";
import { isGivenByNetwork } from "./port.js";
import { groupIn, isSecured, macOf, macsOf } from "./server-interfaces.js";
import type { Rest } from "./server-power.js";
import { untilNextLook } from "./volume-ready.js";
import type { Change } from "./writers.js";

/** Maximum time to attach or detach an interface, in milliseconds. */
const LONGEST = 5 * 60_000;

/** An interface to attach: to a port, or to a network, in which the service creates the port. */
interface Coming {
  readonly words: string;
  readonly network: string | undefined;
  /** Undefined while the result of the request is unknown. */
  port: string | undefined;
}

/**
 * Detaches interfaces from a server and attaches others in the order of the document. Returns the rest of the work: it waits for the
 * result, and gives the ports that the service created the server's groups.
 * @throws PlumblineError `cloud-in-use` if another server has the port, and refusals of the service
 */
export async function changeInterfaces({ path, id, object, before, after }: Change, context: WriteContext): Promise<Rest> {
  const left = [...rowsOf(before, "networks")];
  const attached = rowsOf(after, "networks").filter((row) => {
    const at = left.findIndex((each) => ["network", "port", "fixed_ip"].every((tag) => textOf(each, tag) === textOf(row, tag)));
    if (at !== -1) left.splice(at, 1);
    return at === -1;
  });
  for (const row of attached) refuseAddress(row, left, path, context);
  const stay = new Set((await interfacesOf(id, context)).map(({ port_id }) => String(port_id)));
  if (attached.length > 0) refuseUnlisted(stay, path, context);
  if (attached.length > 0) refuseUnlistedAddress(object, path, context);
  const detached = await Promise.all(left.map(async (row) => ({ words: wordsOf(row), port: await portOf(row, id, path, context) })));
  for (const { port } of detached) await detach(id, port, context);
  const coming: Coming[] = [];
  for (const row of attached) coming.push(await attach(row, id, path, context));
  return async (progress) => {
    const { clock } = context.dependencies;
    const since = clock.now();
    for (;;) {
      const now = await interfacesOf(id, context);
      const ids = now.map(({ port_id }) => String(port_id));
      for (const each of coming) {
        const taken = new Set([...stay, ...coming.map(({ port }) => port)]);
        each.port ??= textAt(now.find(({ net_id, port_id }) => net_id === each.network && !taken.has(String(port_id))) ?? {}, "port_id");
      }
      const kept = detached.find(({ port }) => ids.includes(port));
      const absent = coming.find(({ port }) => port === undefined || !ids.includes(port));
      if (kept === undefined && absent === undefined) break;
      const waited = clock.now() - since;
      const what = absent === undefined ? `${kept?.words} is not detached from` : `${absent.words} is not attached to`;
      if (waited >= LONGEST) throw notChanged(`${what} "${path.name}"`, path, context);
      progress({ job: path.name ?? id, percent: undefined, status: absent === undefined ? "detaching" : "attaching" });
      await clock.sleep(untilNextLook(waited));
    }
    await ownPorts(id, context);
    if (coming.some(({ network }) => network !== undefined)) await changeGroups(id, after, path, context);
  };
}

/** Sets the declared groups on all ports that the service created for the server. Does nothing if none are declared. */
export async function changeGroups(id: string, after: TreeNode, path: Path, context: WriteContext): Promise<void> {
  const at = path.child("security_groups");
  const keys = [...new Set(textsOf(after, "security_groups").map(groupIn))];
  if (keys.length === 0) return;
  const groups = await Promise.all(keys.map((key) => idOf(context, "security_groups", key, at.member(key))));
  const made = (await ownPorts(id, context)).filter((port) => networkMark(port) === undefined && isSecured(port));
  if (made.length === 0)
    throw new PlumblineError("server-not-changed", `"${path.name}" has no port of its own that could have security_groups`, {
      where: { target: context.client.target, xpath: at.toString() },
      next: "Declare them in security_groups of its ports, and remove them here.",
    });
  for (const port of made) {
    const had = texts(port.security_groups) ?? [];
    if (had.length === groups.length && groups.every((each) => had.includes(each))) continue;
    await changePort(textAt(port, "id") ?? "", { security_groups: groups }, context);
  }
}

/**
 * Enables port security on the ports that the service created for the server, unless their network disables it. Their groups are set
 * afterwards.
 */
export async function securePorts(id: string, context: WriteContext): Promise<void> {
  const made = (await ownPorts(id, context)).filter((port) => networkMark(port) === undefined && !isSecured(port));
  for (const port of made)
    if (!isGivenByNetwork(port, context.inventory)) await changePort(textAt(port, "id") ?? "", { port_security_enabled: true }, context);
}

/** A port that no longer exists, for example after a detach in this run, needs no change. */
async function changePort(id: string, port: Members, { client, inventory }: WriteContext): Promise<void> {
  try {
    const { body } = await client.request({ service: "network", method: "PUT", path: ["ports", id], body: { port } });
    const changed = objectAt(body, "port");
    if (changed !== undefined) inventory.put("ports", changed);
  } catch (error) {
    if (!isNotFound(error)) throw error;
    if (inventory.object("ports", id) !== undefined) inventory.remove("ports", id);
  }
}

/** Reads the ports of a server, and updates the inventory for ports that it no longer has. */
export async function ownPorts(id: string, { client, inventory }: WriteContext): Promise<readonly JsonObject[]> {
  const ports = await client.list({ service: "network", path: ["ports"], collection: "ports", query: [["device_id", id]] });
  const ids = new Set(ports.map((port) => textAt(port, "id")));
  for (const port of inventory.where("ports", "device_id", id)) {
    const portId = textAt(port, "id") ?? "";
    if (!ids.has(portId)) await shownPort(portId, { client, inventory });
  }
  for (const port of ports) inventory.put("ports", port);
  return ports;
}

/** Reads the port. Undefined if it does not exist. */
async function shownPort(id: string, { client, inventory }: Pick<WriteContext, "client" | "inventory">): Promise<JsonObject | undefined> {
  try {
    const { body } = await client.request({ service: "network", method: "GET", path: ["ports", id] });
    const port = objectAt(body, "port");
    if (port !== undefined) inventory.put("ports", port);
    return port;
  } catch (error) {
    if (!isNotFound(error)) throw error;
    if (inventory.object("ports", id) !== undefined) inventory.remove("ports", id);
    return undefined;
  }
}

async function interfacesOf(id: string, { client }: WriteContext): Promise<readonly JsonObject[]> {
  const { body } = await client.request({ service: "compute", method: "GET", path: ["servers", id, "os-interface"] });
  return objectsAt(body, "interfaceAttachments");
}

/** Returns the id of the port of a live interface. */
async function portOf(row: TreeNode, server: string, path: Path, context: WriteContext): Promise<string> {
  const port = textOf(row, "port");
  const at = path.child("networks").entry(row.name ?? "");
  if (port !== undefined) return await idOf(context, "ports", port, at.child("port"));
  const network = await idOf(context, "networks", textOf(row, "network") ?? "", at.child("network"));
  const made = context.inventory.where("ports", "device_id", server).filter((each) => networkMark(each) === undefined);
  const fits = made.find(
    (each) =>
      textAt(each, "network_id") === network && textAt(objectsAt(each, "fixed_ips")[0] ?? {}, "ip_address") === textOf(row, "fixed_ip"),
  );
  return textAt(fits ?? {}, "id") ?? "";
}

function wordsOf(row: TreeNode): string {
  const port = textOf(row, "port");
  return port === undefined ? `network "${textOf(row, "network")}"` : `port "${port}"`;
}

/** Throws if the server has an interface whose port is in no list: a new interface could then be a second one in the same network. */
function refuseUnlisted(ports: ReadonlySet<string>, path: Path, { client, inventory }: WriteContext): void {
  const unlisted = [...ports].find((port) => inventory.object("ports", port) === undefined);
  if (unlisted === undefined) return;
  throw new PlumblineError("cloud-changed-meanwhile", `"${path.name}" has an interface on port ${unlisted}, which the plan does not know`, {
    where: { target: client.target, xpath: path.child("networks").toString() },
    next: "Run again: the new plan uses the current state.",
  });
}

/** Throws if the server shows an address of an interface whose port is in neither list (ports, interfaces). */
function refuseUnlistedAddress(server: JsonObject, path: Path, { client, inventory }: WriteContext): void {
  const listed = new Set([...inventory.objects("ports")].map(macOf));
  const unlisted = macsOf(server).find((mac) => !listed.has(mac));
  if (unlisted === undefined) return;
  throw new PlumblineError(
    "cloud-changed-meanwhile",
    `"${path.name}" has an interface with MAC address ${unlisted}, whose port no list shows`,
    {
      where: { target: client.target, xpath: path.child("networks").toString() },
      next: "Run again when the lists of the network service are complete (openstack port list --server).",
    },
  );
}

/** The addresses of a declared port are set on the port itself. */
function refuseAddress(row: TreeNode, left: readonly TreeNode[], path: Path, { client }: WriteContext): void {
  const port = textOf(row, "port");
  if (port === undefined || !left.some((each) => textOf(each, "port") === port)) return;
  throw new PlumblineError("server-not-changed", `"${path.name}" cannot give port "${port}" the address ${textOf(row, "fixed_ip")}`, {
    where: { target: client.target, xpath: path.child("networks").toString() },
    next: "Declare the address in fixed_ips of the port, and remove fixed_ip here.",
  });
}

async function detach(server: string, port: string, context: WriteContext): Promise<void> {
  try {
    context.leaving.add(port);
    await context.client.request({ service: "compute", method: "DELETE", path: ["servers", server, "os-interface", port] });
  } catch (error) {
    // The result is checked after all writes.
    if (!isNotFound(error) && !isOutcomeUnknown(error)) throw error;
  }
}

async function attach(row: TreeNode, server: string, path: Path, context: WriteContext): Promise<Coming> {
  const at = path.child("networks").entry(row.name ?? "");
  const key = textOf(row, "port");
  const port = key === undefined ? undefined : await idOf(context, "ports", key, at.child("port"));
  const fixed = textOf(row, "fixed_ip");
  const network = key === undefined ? await idOf(context, "networks", textOf(row, "network") ?? "", at.child("network")) : undefined;
  const coming: Coming = { words: wordsOf(row), network, port };
  if (port !== undefined && (await isThere(port, server, key ?? port, path, context))) return coming;
  const address = fixed === undefined ? {} : { fixed_ips: [{ ip_address: fixed }] };
  const body = { interfaceAttachment: port === undefined ? { net_id: network ?? "", ...address } : { port_id: port } };
  try {
    const reply = await context.client.request({ service: "compute", method: "POST", path: ["servers", server, "os-interface"], body });
    coming.port ??= textAt(objectAt(reply.body, "interfaceAttachment") ?? {}, "port_id");
  } catch (error) {
    if (!isOutcomeUnknown(error)) throw error;
  }
  return coming;
}

/** Whether the server already has the port. Waits for a port that this run detaches from another server, or whose server it deleted. */
async function isThere(port: string, server: string, key: string, path: Path, context: WriteContext): Promise<boolean> {
  const { clock } = context.dependencies;
  const since = clock.now();
  for (;;) {
    const shown = await shownPort(port, context);
    const device = textAt(shown ?? {}, "device_id") ?? "";
    // For a deleted port, the attach reports the service's error.
    if (device === "" || device === server) {
      context.leaving.delete(port);
      return device === server;
    }
    const { inventory } = context;
    const holder = inventory.object("servers", device);
    const waited = clock.now() - since;
    const isKept =
      !context.leaving.has(port) && (holder !== undefined || !(textAt(shown ?? {}, "device_owner") ?? "").startsWith("compute:"));
    if (isKept || waited >= LONGEST) {
      const words =
        holder === undefined
          ? `${textAt(shown ?? {}, "device_owner")} ${device}`
          : `server "${inventory.keyOf("servers", device)}" (${device})`;
      throw new PlumblineError("cloud-in-use", `port "${key}" is attached to ${words}`, {
        where: { target: context.client.target, xpath: path.child("networks").toString() },
        next: "Have it detached there (openstack server remove port), or declare it at its place. Then run again.",
      });
    }
    await clock.sleep(untilNextLook(waited));
  }
}

function notChanged(words: string, path: Path, { client }: WriteContext): PlumblineError {
  return new PlumblineError("server-not-changed", words, {
    where: { target: client.target, xpath: path.child("networks").toString() },
    next: "Check its events and ports (openstack server event list, openstack port list --server), then run again.",
    severity: "partial",
  });
}
