import { type JsonObject, objectsAt, textAt } from "../../../core/json/value.js";
import type { Inventory } from "../read/inventory.js";
import { keyless, leaf, scalar } from "../read/render.js";
import type { ObjectKind } from "./kinds.js";
import { entryShape, networkObject, tagsOf } from "./network-service.js";

const entry = entryShape("trunks");

/** Ports that carry other ports of a server, each as a VLAN. */
export const trunks: ObjectKind = {
  ...networkObject("trunks"),
  entry,
  needs: ["ports"],
  isOptional: true,
  special(trunk, inventory) {
    const rows = objectsAt(trunk, "sub_ports").map((each) => [
      portOf(each, inventory),
      leaf("segmentation_id", scalar(each.segmentation_id)),
    ]);
    return { tags: tagsOf(trunk), port: portOf(trunk, inventory), sub_ports: keyless("sub_ports", rows, entry.child("sub_ports")) };
  },
};

function portOf(holder: JsonObject, inventory: Inventory) {
  return leaf("port", inventory.keyOf("ports", textAt(holder, "port_id") ?? ""));
}

/** Returns the parent port and the subports of a trunk. */
export function portsOf(trunk: JsonObject): (string | undefined)[] {
  return [trunk, ...objectsAt(trunk, "sub_ports")].map((each) => textAt(each, "port_id"));
}
