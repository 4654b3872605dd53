import { type JsonObject, objectsAt, textAt, texts } from "../../../core/json/value.js";
import { TreeNode } from "../../../core/tree/node.js";
import { GIVEN_BY_NETWORK } from "../lost-protection.js";
import { networkMark } from "../owner-marks.js";
import type { Inventory } from "../read/inventory.js";
import { keyless, leaf, members, scalar } from "../read/render.js";
import type { ObjectKind } from "./kinds.js";
import { entryShape, fixedIps, networkObject, tagsOf } from "./network-service.js";

const entry = entryShape("ports");

export const ports: ObjectKind = {
  ...networkObject("ports"),
  entry,
  needs: ["networks", "subnets", "security_groups"],
  /** Ports of servers, routers and services are only shown if they have a mark, or if a person created them for a server. */
  isShown: (port) => (textAt(port, "device_owner") ?? "") === "" || networkMark(port) !== undefined || isNamedInterface(port),
  isHeldElsewhere: (port) => networkMark(port) === undefined && isNamedInterface(port),
  special: (port, inventory) => ({
    tags: tagsOf(port),
    port_security_enabled: portSecurityLeaf(port, inventory),
    network: leaf("network", inventory.keyOf("networks", textAt(port, "network_id") ?? "")),
    fixed_ips: fixedIps("fixed_ips", port, "fixed_ips", entry.child("fixed_ips"), inventory),
    allowed_address_pairs: addressPairs(port),
    security_groups: members(
      "security_groups",
      (texts(port.security_groups) ?? []).map((id) => inventory.keyOf("security_groups", id)),
    ),
  }),
};

/** Whether the port is an interface of a server and has a name. Ports that the compute service creates have no name. */
function isNamedInterface(port: JsonObject): boolean {
  return (textAt(port, "device_owner") ?? "").startsWith("compute:") && (textAt(port, "name") ?? "") !== "";
}

/** Returns the address pairs. The service adds the port's own MAC address to pairs without a MAC, so this address is omitted. */
function addressPairs(port: JsonObject): TreeNode | undefined {
  const own = textAt(port, "mac_address")?.toLowerCase();
  const rows = objectsAt(port, "allowed_address_pairs").map((pair) => {
    const mac = textAt(pair, "mac_address");
    return [leaf("ip_address", textAt(pair, "ip_address")), leaf("mac_address", mac?.toLowerCase() === own ? undefined : mac)];
  });
  return keyless("allowed_address_pairs", rows, entry.child("allowed_address_pairs"));
}

/** Returns the port security of a port, with an attribute if its network has the same. */
export function portSecurityLeaf(port: JsonObject, inventory: Inventory): TreeNode | undefined {
  const text = scalar(port.port_security_enabled);
  if (text === undefined) return undefined;
  const note = isGivenByNetwork(port, inventory) ? new Map([[GIVEN_BY_NETWORK, "yes"]]) : undefined;
  return new TreeNode("port_security_enabled", undefined, text, [], note);
}

/** Whether the port has the port security of its network, or the network is not visible. */
export function isGivenByNetwork(port: JsonObject, inventory: Inventory): boolean {
  const network = inventory.object("networks", textAt(port, "network_id") ?? "");
  return network === undefined || scalar(network.port_security_enabled) === scalar(port.port_security_enabled);
}
