import { type JsonObject, objectsAt, textAt, texts } from "../../../core/json/value.js";
import type { Path } from "../../../core/tree/path.js";
import type { ObjectUser } from "../../../guards/context.js";
import type { ListName } from "../objects/kinds.js";
import { portsOf } from "../objects/trunk.js";
import { networkMark } from "../owner-marks.js";
import { ROOT_PATH } from "../shape.js";
import { idAt } from "./ids.js";
import type { Inventory } from "./inventory.js";

/** Service ports of a subnet, which the network service deletes with it. */
const SERVICES: ReadonlySet<string> = new Set(["network:dhcp", "network:distributed"]);

/**
 * Returns the objects that prevent a deletion: ports (shown as their server or router), servers with the volume attached, and the trunk of
 * a port.
 */
export function usersAt(path: Path, inventory: Inventory): ObjectUser[] {
  if (path.parent?.tag === "volumes") return serversOf(idAt(path, inventory) ?? "", inventory);
  if (path.parent?.tag === "ports") return trunksOf(idAt(path, inventory), inventory);
  const uses = USES[path.parent?.tag ?? ""];
  const id = inventory.has("ports") ? idAt(path, inventory) : undefined;
  if (uses === undefined || id === undefined) return [];
  const ports = [...inventory.objects("ports")].filter((port) => uses(port, id) && !SERVICES.has(textAt(port, "device_owner") ?? ""));
  return ports.map((port) => userBy(port, inventory));
}

function serversOf(volume: string, inventory: Inventory): ObjectUser[] {
  const ids = objectsAt(inventory.object("volumes", volume) ?? {}, "attachments").map((each) => textAt(each, "server_id") ?? "");
  return ids.map((id) =>
    inventory.has("servers") ? named("servers", "server", id, inventory) : { entry: undefined, words: `server ${id}` },
  );
}

function trunksOf(port: string | undefined, inventory: Inventory): ObjectUser[] {
  if (port === undefined || !inventory.has("trunks")) return [];
  const trunks = [...inventory.objects("trunks")].filter((trunk) => portsOf(trunk).includes(port));
  return trunks.map((trunk) => named("trunks", "trunk", textAt(trunk, "id") ?? "", inventory));
}

const USES: Readonly<Partial<Record<string, (port: JsonObject, id: string) => boolean>>> = {
  networks: (port, id) => textAt(port, "network_id") === id,
  subnets: (port, id) => objectsAt(port, "fixed_ips").some((each) => textAt(each, "subnet_id") === id),
  security_groups: (port, id) => texts(port.security_groups)?.includes(id) === true,
};

function userBy(port: JsonObject, inventory: Inventory): ObjectUser {
  const id = textAt(port, "id") ?? "";
  const owner = textAt(port, "device_owner") ?? "";
  const device = textAt(port, "device_id") ?? "";
  if (owner === "" || networkMark(port) !== undefined) return named("ports", "port", id, inventory);
  if (owner.startsWith("compute:") && inventory.has("servers")) return named("servers", "server", device, inventory);
  if (owner.startsWith("network:") && inventory.has("routers") && inventory.object("routers", device) !== undefined)
    return named("routers", "router", device, inventory);
  return { entry: undefined, words: `port ${id} of ${owner} ${device}` };
}

function named(list: ListName, kind: string, id: string, inventory: Inventory): ObjectUser {
  const { name } = inventory.called(list, id);
  return { entry: ROOT_PATH.child(list).entry(name), words: `${kind} "${name}"` };
}
