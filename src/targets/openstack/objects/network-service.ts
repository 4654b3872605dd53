import { type JsonObject, objectsAt, textAt } from "../../../core/json/value.js";
import type { TreeNode } from "../../../core/tree/node.js";
import type { Shape } from "../../../core/tree/shape.js";
import { networkMark, otherTags } from "../owner-marks.js";
import type { Inventory } from "../read/inventory.js";
import { keyless, leaf, MADE_BY_SERVICE, members, scalar } from "../read/render.js";
import { openstackShape } from "../shape.js";
import type { ListName, ObjectKind } from "./kinds.js";

/** Common properties of the network service's objects. */
export function networkObject(list: ListName): Pick<ObjectKind, "list" | "request" | "idOf" | "nameOf" | "markOf"> {
  return {
    list,
    request: { service: "network", path: [list.replaceAll("_", "-")], collection: list },
    idOf: (object) => textAt(object, "id") ?? "",
    nameOf: (object) => textAt(object, "name") ?? "",
    markOf: networkMark,
  };
}

/** Returns the tags without the mark. */
export function tagsOf(object: JsonObject): TreeNode | undefined {
  return members("tags", otherTags(object));
}

/** Returns the shape of the entries of a top-level list. */
export function entryShape(list: ListName): Shape {
  return openstackShape().child(list).child("entry");
}

const BY_THEMSELVES: ReadonlySet<string> = new Set(["slaac", "dhcpv6-stateless"]);

/** Returns addresses with their subnets. If hosts configure their addresses themselves, the service assigns one to each port. */
export function fixedIps(
  tag: string,
  holder: JsonObject | undefined,
  member: string,
  shape: Shape,
  inventory: Inventory,
): TreeNode | undefined {
  const held = [...objectsAt(holder ?? {}, member)].sort((a, b) => addressOf(a).localeCompare(addressOf(b), "en", { numeric: true }));
  const rows = held.map((each) => [
    leaf("subnet", inventory.keyOf("subnets", textAt(each, "subnet_id") ?? "")),
    leaf("ip_address", scalar(each.ip_address)),
  ]);
  const modes = held.map((each) => textAt(inventory.object("subnets", textAt(each, "subnet_id") ?? "") ?? {}, "ipv6_address_mode") ?? "");
  return keyless(
    tag,
    rows,
    shape,
    modes.map((mode) => (BY_THEMSELVES.has(mode) ? MADE_BY_SERVICE : undefined)),
  );
}

function addressOf(each: JsonObject): string {
  return textAt(each, "ip_address") ?? "";
}
