import { type JsonObject, textAt, texts } from "../../../core/json/value.js";
import { TreeNode } from "../../../core/tree/node.js";
import { GIVEN_BY_NETWORK } from "../lost-protection.js";
import { networkMark } from "../owner-marks.js";
import type { Inventory } from "../read/inventory.js";
import { leaf, members, scalar } from "../read/render.js";
import type { ObjectKind } from "./kinds.js";
import { entryShape, fixedIps, networkObject, tagsOf } from "./network-service.js";

const entry = entryShape("ports");

export const ports: ObjectKind = {
  ...networkObject("ports"),
  entry,
  needs: ["networks", "subnets", "security_groups"],
  /** Ports of servers, routers and the services themselves are shown only where they carry a mark. */
  isShown: (port) => (textAt(port, "device_owner") ?? "") === "" || networkMark(port) !== undefined,
  special: (port, inventory) => ({
    tags: tagsOf(port),
    port_security_enabled: portSecurity(port, inventory),
    network: leaf("network", inventory.keyOf("networks", textAt(port, "network_id") ?? "")),
    fixed_ips: fixedIps("fixed_ips", port, "fixed_ips", entry.child("fixed_ips"), inventory),
    security_groups: members(
      "security_groups",
      (texts(port.security_groups) ?? []).map((id) => inventory.keyOf("security_groups", id)),
    ),
  }),
};

function portSecurity(port: JsonObject, inventory: Inventory): TreeNode | undefined {
  const text = scalar(port.port_security_enabled);
  if (text === undefined) return undefined;
  const network = inventory.object("networks", textAt(port, "network_id") ?? "");
  const isGiven = network === undefined || scalar(network.port_security_enabled) === text;
  return new TreeNode("port_security_enabled", undefined, text, [], isGiven ? new Map([[GIVEN_BY_NETWORK, "yes"]]) : undefined);
}
