import { type JsonObject, objectAt, textAt, texts } from "../../../core/json/value.js";
import type { Path } from "../../../core/tree/path.js";
import type { HiddenObject } from "../../../engine/target.js";
import type { OpenstackClient } from "../../openstack-client/client/client.js";
import { isNotFound } from "../../openstack-client/client/openstack-error.js";
import { networkMark } from "../owner-marks.js";
import { ROOT_PATH } from "../shape.js";
import type { Inventory } from "./inventory.js";

/**
 * Finds hidden objects. A cloud returns 404 for hidden and for deleted objects, but other objects reveal them: a subnet of this project
 * whose network no list contains, or a network of this project with a subnet that no list contains. `entries`: the missing entries.
 */
export async function hiddenObjects(entries: readonly Path[], inventory: Inventory, client: OpenstackClient): Promise<HiddenObject[]> {
  if (!inventory.has("networks") || !inventory.has("subnets")) return [];
  const networks = entries.filter((path) => path.depth === 3 && path.parent?.tag === "networks");
  const reason = networks.length === 0 ? undefined : await networkGivenAway(inventory, client);
  const hidden = reason === undefined ? [] : networks.map((path) => ({ path, reason }));
  return [...hidden, ...(await subnetsGivenAway(inventory, client))];
}

async function networkGivenAway(inventory: Inventory, client: OpenstackClient): Promise<string | undefined> {
  const project = (await client.session()).project?.id;
  const requested = new Set<string>();
  for (const subnet of inventory.objects("subnets")) {
    const network = textAt(subnet, "network_id") ?? "";
    if (projectOf(subnet) !== project || requested.has(network) || inventory.object("networks", network) !== undefined) continue;
    requested.add(network);
    if (
      (await read(client, "networks", network)) === undefined &&
      (await read(client, "subnets", textAt(subnet, "id") ?? "")) !== undefined
    )
      return `the subnet "${textAt(subnet, "name")}" is in the network ${network}, which the service does not show`;
  }
  return undefined;
}

async function subnetsGivenAway(inventory: Inventory, client: OpenstackClient): Promise<HiddenObject[]> {
  const project = (await client.session()).project?.id;
  const hidden: HiddenObject[] = [];
  for (const network of inventory.objects("networks")) {
    const id = textAt(network, "id") ?? "";
    const unseen = (texts(network.subnets) ?? []).filter((subnet) => inventory.object("subnets", subnet) === undefined);
    if (unseen.length === 0 || projectOf(network) !== project) continue;
    for (const subnet of unseen) {
      const shown = await read(client, "subnets", subnet);
      if (shown !== undefined && networkMark(shown) === undefined) continue;
      // A subnet that was deleted in the meantime is no longer in the network.
      const now = await read(client, "networks", id);
      if (texts(now?.subnets)?.includes(subnet) !== true) continue;
      const path = ROOT_PATH.child("networks").entry(inventory.called("networks", id).name);
      const what = shown === undefined ? "the service does not show" : "the service has, and its list did not show";
      hidden.push({ path, reason: `it has the subnet ${subnet}, which ${what}` });
    }
  }
  return hidden;
}

async function read(client: OpenstackClient, list: "networks" | "subnets", id: string): Promise<JsonObject | undefined> {
  try {
    const { body } = await client.request({ service: "network", method: "GET", path: [list, id] });
    return objectAt(body, list === "networks" ? "network" : "subnet");
  } catch (error) {
    if (!isNotFound(error)) throw error;
    return undefined;
  }
}

/** Returns the project of a network service object. */
export function projectOf(object: JsonObject): string | undefined {
  return textAt(object, "project_id") ?? textAt(object, "tenant_id");
}
