import { type JsonObject, objectAt, objectsAt, textAt } from "../../../core/json/value.js";
import { networkMark } from "../owner-marks.js";
import type { Inventory } from "../read/inventory.js";
import { leaf, members, scalar } from "../read/render.js";
import type { ObjectKind } from "./kinds.js";
import { entryShape, fixedIps, networkObject, tagsOf } from "./network-service.js";

const entry = entryShape("routers");

/** Owners of router ports. Distributed and redundant routers use longer names. */
const INTERFACE = /^network:(router_interface|ha_router_replicated_interface)/;

export const routers: ObjectKind = {
  ...networkObject("routers"),
  entry,
  needs: ["networks", "subnets", "ports"],
  special(router, inventory) {
    const gateway = objectAt(router, "external_gateway_info");
    const network = gateway === undefined ? undefined : textAt(gateway, "network_id");
    // A declared port is shown as a port, and a port that the service created as its subnet.
    const ports = inventory.where("ports", "device_id", textAt(router, "id") ?? "").filter(isInterface);
    const [own, made] = [ports.filter((port) => networkMark(port) !== undefined), ports.filter((port) => networkMark(port) === undefined)];
    return {
      tags: tagsOf(router),
      external_network: leaf("external_network", network === undefined ? undefined : inventory.keyOf("networks", network)),
      enable_snat: leaf("enable_snat", scalar(gateway?.enable_snat)),
      external_fixed_ips: fixedIps("external_fixed_ips", gateway, "external_fixed_ips", entry.child("external_fixed_ips"), inventory),
      interfaces: members("interfaces", subnetsOf(made, inventory)),
      interface_ports: members(
        "interface_ports",
        own.map((port) => inventory.keyOf("ports", textAt(port, "id") ?? "")),
      ),
    };
  },
};

function subnetsOf(ports: readonly JsonObject[], inventory: Inventory): string[] {
  const subnets = ports.flatMap((port) => objectsAt(port, "fixed_ips").map((each) => textAt(each, "subnet_id") ?? ""));
  return subnets.map((id) => inventory.keyOf("subnets", id));
}

export function isInterface(port: JsonObject): boolean {
  return INTERFACE.test(textAt(port, "device_owner") ?? "");
}
