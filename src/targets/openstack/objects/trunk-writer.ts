import { type JsonObject, objectAt, textAt } from "../../../core/json/value.js";
import { equalNodes } from "../../../core/tree/equal.js";
import type { TreeNode } from "../../../core/tree/node.js";
import type { Path } from "../../../core/tree/path.js";
import type { Body } from "../../openstack-client/client/request.js";
import type { WriteContext } from "../write/context.js";
import { rowsOf, textOf } from "../write/encode.js";
import { idOf } from "../write/names.js";
import { incomplete } from "./network-members.js";
import { entryShape } from "./network-service.js";
import { networkWriter } from "./network-writer.js";

const ROW = entryShape("trunks").child("sub_ports").child("entry");

/** A create contains the subports. Later, one request removes all old ones and one adds all new ones. */
export const trunkObjects = networkWriter({
  list: "trunks",
  singular: "trunk",
  own: ["port", "sub_ports"],
  async members(entry, path, context, tags) {
    if (tags !== undefined) return {};
    const port = textOf(entry, "port");
    if (port === undefined) throw incomplete("a trunk needs its port", path, context);
    const sub_ports = await subports(rowsOf(entry, "sub_ports"), path, context);
    return { port_id: await idOf(context, "ports", port, path.child("port")), sub_ports };
  },
  async addParts({ id, object, path, before, after, context }) {
    if (before === undefined) return false;
    const [had, wanted] = [rowsOf(before, "sub_ports"), rowsOf(after, "sub_ports")];
    const [going, coming] = [lacking(had, wanted), lacking(wanted, had)];
    if (going.length + coming.length === 0) return false;
    const removed = (await subports(going, path, context)).map(({ port_id }) => ({ port_id }));
    const added = await subports(coming, path, context);
    const isLocked = await unlock(object, context);
    try {
      if (removed.length > 0) await put([id, "remove_subports"], { sub_ports: removed }, context);
      if (added.length > 0) await put([id, "add_subports"], { sub_ports: added }, context);
    } finally {
      if (isLocked && textOf(after, "admin_state_up") === "false") await put([id], { trunk: { admin_state_up: false } }, context);
    }
    return true;
  },
  async clear(trunk, context) {
    await unlock(trunk, context);
  },
});

/** An administratively down trunk is locked: the service neither changes its subports nor deletes it. */
async function unlock(trunk: JsonObject, context: WriteContext): Promise<boolean> {
  const isLocked = trunk.admin_state_up === false;
  if (isLocked) await put([textAt(trunk, "id") ?? ""], { trunk: { admin_state_up: true } }, context);
  return isLocked;
}

/** Replies to subport requests contain the trunk without a wrapper. */
async function put(path: readonly string[], fields: Readonly<Record<string, Body>>, { client, inventory }: WriteContext): Promise<void> {
  const { body } = await client.request({ service: "network", method: "PUT", path: ["trunks", ...path], body: fields });
  const trunk = objectAt(body, "trunk") ?? objectAt({ body }, "body");
  if (trunk !== undefined) inventory.put("trunks", trunk);
}

function lacking(rows: readonly TreeNode[], others: readonly TreeNode[]): TreeNode[] {
  return rows.filter((row) => !others.some((other) => equalNodes(row, other, ROW)));
}

async function subports(rows: readonly TreeNode[], path: Path, context: WriteContext) {
  return await Promise.all(
    rows.map(async (row) => {
      const at = path.child("sub_ports").entry(row.name ?? "");
      const [port, vlan] = [textOf(row, "port"), textOf(row, "segmentation_id")];
      if (port === undefined || vlan === undefined) throw incomplete("a subport needs its port and its segmentation_id", path, context);
      const port_id = await idOf(context, "ports", port, at.child("port"));
      return { port_id, segmentation_type: "vlan", segmentation_id: Number(vlan) };
    }),
  );
}
