import { type JsonObject, textAt } from "../../../core/json/value.js";
import { TreeNode } from "../../../core/tree/node.js";
import { ALSO_BY_PORT, ALSO_BY_SERVER } from "../floating-ip-form.js";
import { networkMark } from "../owner-marks.js";
import type { Inventory } from "../read/inventory.js";
import { leaf } from "../read/render.js";
import type { ObjectKind } from "./kinds.js";
import { entryShape, networkObject, tagsOf } from "./network-service.js";

/** Floating IPs have no name in the service. One without a mark is named by its address. */
export const floatingIps: ObjectKind = {
  ...networkObject("floatingips"),
  entry: entryShape("floatingips"),
  needs: ["networks", "ports", "routers", "servers"],
  nameOf: (floating) => textAt(floating, "floating_ip_address") ?? "",
  special: (floating, inventory) => ({
    tags: tagsOf(floating),
    pool: leaf("pool", inventory.keyOf("networks", textAt(floating, "floating_network_id") ?? "")),
    router: leaf("router", keyIn(floating, "router_id", "routers", inventory)),
    ...targetOf(floating, inventory),
  }),
};

function keyIn(floating: JsonObject, member: string, list: "ports" | "routers", inventory: Inventory): string | undefined {
  const id = textAt(floating, member);
  return id === undefined ? undefined : inventory.keyOf(list, id);
}

/** Shows the server of a port that the service created, and otherwise the port. An attribute contains the other possible name. */
function targetOf(floating: JsonObject, inventory: Inventory): { port?: TreeNode | undefined; server?: TreeNode | undefined } {
  const key = keyIn(floating, "port_id", "ports", inventory);
  if (key === undefined) return {};
  const port = inventory.object("ports", textAt(floating, "port_id") ?? "") ?? {};
  const device = textAt(port, "device_id") ?? "";
  const isOfServer = (textAt(port, "device_owner") ?? "").startsWith("compute:") && inventory.object("servers", device) !== undefined;
  if (!isOfServer) return { port: leaf("port", key) };
  const server = inventory.keyOf("servers", device);
  if (networkMark(port) === undefined) return { server: noted("server", server, ALSO_BY_PORT, key) };
  return { port: noted("port", key, ALSO_BY_SERVER, server) };
}

function noted(tag: string, text: string, note: string, other: string): TreeNode {
  return new TreeNode(tag, undefined, text, [], new Map([[note, other]]));
}
