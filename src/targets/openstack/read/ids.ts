import type { Path } from "../../../core/tree/path.js";
import type { ListName } from "../objects/kinds.js";
import type { Inventory } from "./inventory.js";

/** Returns the service's id of the object at `path`. Undefined if the path is not an entry, or if several objects match. */
export function idAt(path: Path, inventory: Inventory): string | undefined {
  const [, list, entry, inner, nested, ...deeper] = path.steps();
  if (list === undefined || entry?.name === undefined || deeper.length > 0 || !inventory.has(list.tag as ListName)) return undefined;
  const id = only(inventory.idsOf(list.tag as ListName, entry.name));
  if (inner === undefined || id === undefined) return id;
  if (inner.tag !== "subnets" || nested?.name === undefined || !inventory.has("subnets")) return undefined;
  const ids = new Set(inventory.idsOf("subnets", nested.name));
  return only(inventory.where("subnets", "network_id", id).flatMap((subnet) => idsAmong(ids, subnet.id)));
}

function idsAmong(ids: ReadonlySet<string>, id: unknown): string[] {
  return typeof id === "string" && ids.has(id) ? [id] : [];
}

function only(ids: readonly string[]): string | undefined {
  return ids.length === 1 ? ids[0] : undefined;
}
