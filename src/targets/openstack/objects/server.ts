import { type JsonObject, objectAt, objectsAt, textAt, texts } from "../../../core/json/value.js";
import { TreeNode } from "../../../core/tree/node.js";
import { MADE_AS } from "../image-form.js";
import { markedImage, metadataMark, networkMark } from "../owner-marks.js";
import { isUnrebuilt, withFailedRebuild } from "../read/instance-actions.js";
import type { Inventory } from "../read/inventory.js";
import { keyless, leaf, members, scalar } from "../read/render.js";
import { UNSECURED } from "../security-group-form.js";
import type { ObjectKind } from "./kinds.js";
import { metadataOf } from "./metadata.js";
import { entryShape } from "./network-service.js";
import { isGivenByNetwork, portSecurityLeaf } from "./port.js";
import { groupsOfAll, isSecured } from "./server-interfaces.js";
import { attachedTo, volumesOf } from "./server-volumes.js";

const entry = entryShape("servers");

/**
 * From this microversion, the service returns description, tags and locks. Compared with 2.1, no field that is read here has another
 * format.
 */
export const SERVER_MICROVERSION = "2.26";

export const servers: ObjectKind = {
  list: "servers",
  entry,
  request: { service: "compute", path: ["servers", "detail"], collection: "servers", preferred: SERVER_MICROVERSION },
  needs: ["images", "flavors", "networks", "ports", "security_groups", "server_groups"],
  alsoNeeds: (server) => (attachedTo(server).length === 0 ? [] : ["volumes"]),
  completed: withFailedRebuild,
  idOf: (server) => textAt(server, "id") ?? "",
  nameOf: (server) => textAt(server, "name") ?? "",
  markOf: metadataMark,
  special: (server, inventory) => ({
    image: imageOf(server, inventory),
    flavor: leaf("flavor", keyIn(server, "flavor", "flavors", inventory)),
    ...volumesOf(server, inventory),
    server_group: leaf("server_group", serverGroupOf(server, inventory)),
    networks: networksOf(server, inventory),
    security_groups: members("security_groups", groupsOf(server, inventory)),
    port_security_enabled: portSecurityOf(server, inventory),
    availability_zone: leaf("availability_zone", textAt(server, "OS-EXT-AZ:availability_zone")),
    config_drive: leaf("config_drive", scalar(server.config_drive)?.toLowerCase()),
    metadata: metadataOf(server),
    power: leaf("power", powerOf(server)),
    rebuilding: leaf("rebuilding", server.status === "REBUILD" ? "under way" : undefined),
    resizing: leaf("resizing", RESIZING.get(textAt(server, "status") ?? "")),
    fault: leaf("fault", server.status === "ERROR" && !isUnrebuilt(server) ? (faultOf(server) ?? "ERROR") : undefined),
    addresses: addressesOf(server),
  }),
};

/** After a failed rebuild only the image differs, so that another rebuild fixes it. */
function imageOf(server: JsonObject, inventory: Inventory): TreeNode | undefined {
  const image = keyIn(server, "image", "images", inventory);
  if (isUnrebuilt(server)) return leaf("image", [`${image}, after a rebuild that failed`, faultOf(server) ?? []].flat().join(": "));
  const madeAs = markedImage(server);
  if (image === undefined || madeAs === undefined) return leaf("image", image);
  return new TreeNode("image", undefined, image, [], new Map([[MADE_AS, madeAs]]));
}

function faultOf(server: JsonObject): string | undefined {
  return textAt(objectAt(server, "fault") ?? {}, "message");
}

/** Nova's power state for a server after a shutdown. */
const SHUT_DOWN = 4;

/** Statuses of a resize that has not ended. Documents cannot declare them. */
export const RESIZING: ReadonlyMap<string, string> = new Map([
  ["RESIZE", "under way"],
  ["VERIFY_RESIZE", "waits for its confirmation"],
  ["REVERT_RESIZE", "is taken back"],
]);

/** Returns `on`, `off`, or the lower-case status of another state (`paused`, `build`). */
export function powerOf(server: JsonObject): string {
  const status = textAt(server, "status") ?? "";
  const state = textAt(server, "OS-EXT-STS:vm_state") ?? { ACTIVE: "active", SHUTOFF: "stopped" }[status];
  if (state === "resized") return server["OS-EXT-STS:power_state"] === SHUT_DOWN ? "off" : "on";
  if (state === "active") return "on";
  return state === "stopped" ? "off" : status.toLowerCase();
}

function keyIn(server: JsonObject, member: string, list: "images" | "flavors", inventory: Inventory): string | undefined {
  const id = textAt(objectAt(server, member) ?? {}, "id");
  return id === undefined ? undefined : inventory.keyOf(list, id);
}

function serverGroupOf(server: JsonObject, inventory: Inventory): string | undefined {
  const id = textAt(server, "id") ?? "";
  const group = [...inventory.objects("server_groups")].find(({ members }) => texts(members)?.includes(id) === true);
  return group === undefined ? undefined : inventory.keyOf("server_groups", textAt(group, "id") ?? "");
}

/** Attributes of an interface without port security: its network disables it, or it was disabled on the port. */
const BARE: ReadonlyMap<string, string> = new Map([[UNSECURED, "network"]]);
const SWITCHED_OFF: ReadonlyMap<string, string> = new Map([[UNSECURED, "port"]]);

/** Shows declared ports as ports, and ports that the service created as their network. */
function networksOf(server: JsonObject, inventory: Inventory): TreeNode | undefined {
  const rows = inventory.where("ports", "device_id", textAt(server, "id") ?? "").map((port) => {
    const address = leaf("fixed_ip", textAt(objectsAt(port, "fixed_ips")[0] ?? {}, "ip_address"));
    if (networkMark(port) !== undefined) return [leaf("port", inventory.keyOf("ports", textAt(port, "id") ?? "")), address];
    const network = inventory.keyOf("networks", textAt(port, "network_id") ?? "");
    const note = isGivenByNetwork(port, inventory) ? BARE : SWITCHED_OFF;
    return [isSecured(port) ? leaf("network", network) : new TreeNode("network", undefined, network, [], note), address];
  });
  // An empty list means that the server has no interfaces. While the service builds a server, the list is omitted.
  const isBuilt = ["on", "off"].includes(powerOf(server)) && !RESIZING.has(textAt(server, "status") ?? "");
  return keyless("networks", rows, entry.child("networks")) ?? (isBuilt ? new TreeNode("networks") : undefined);
}

/** Returns the port security of the ports that the service created for the server. Undefined without such ports. */
function portSecurityOf(server: JsonObject, inventory: Inventory): TreeNode | undefined {
  const ports = inventory.where("ports", "device_id", textAt(server, "id") ?? "").filter((port) => networkMark(port) === undefined);
  const isSwitchedOff = (port: JsonObject) => !isSecured(port) && !isGivenByNetwork(port, inventory);
  const shown = ports.find(isSwitchedOff) ?? ports.find(isSecured) ?? ports[0];
  return shown === undefined ? undefined : portSecurityLeaf(shown, inventory);
}

/**
 * Returns the groups of the ports that the service created for the server. The service reports the groups of all ports, but declared ports
 * have their own groups.
 */
function groupsOf(server: JsonObject, inventory: Inventory): string[] {
  const ports = inventory.where("ports", "device_id", textAt(server, "id") ?? "");
  const made = ports.filter((port) => networkMark(port) === undefined);
  if (ports.length > 0 && made.length === 0) return [];
  if (made.length === 0) return objectsAt(server, "security_groups").map((group) => textAt(group, "name") ?? "");
  return groupsOfAll(made.filter(isSecured), (id) => inventory.keyOf("security_groups", id));
}

/** Returns the addresses by network: the first one, which usually identifies the server, and all others. */
function addressesOf(server: JsonObject): TreeNode | undefined {
  const byNetwork = objectAt(server, "addresses") ?? {};
  const entries = Object.keys(byNetwork).map((network) => {
    const all = objectsAt(byNetwork, network);
    const ofType = (type: string) =>
      all.filter((each) => textAt(each, "OS-EXT-IPS:type") === type).map((each) => textAt(each, "addr") ?? "");
    const fixed = all.filter((each) => textAt(each, "OS-EXT-IPS:type") !== "floating");
    const first = fixed.find((each) => each.version === 4) ?? fixed[0] ?? {};
    const children = [
      leaf("address", textAt(first, "addr")),
      leaf("mac_address", textAt(first, "OS-EXT-IPS-MAC:mac_addr")),
      members(
        "fixed",
        fixed.map((each) => textAt(each, "addr") ?? ""),
      ),
      members("floating", ofType("floating")),
    ];
    return new TreeNode(
      "entry",
      network,
      "",
      children.filter((child) => child !== undefined),
    );
  });
  return entries.length === 0 ? undefined : new TreeNode("addresses", undefined, "", entries);
}
