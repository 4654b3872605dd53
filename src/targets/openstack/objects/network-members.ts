import { PlumblineError } from "../../../core/errors.js";
import type { TreeNode } from "../../../core/tree/node.js";
import type { Path } from "../../../core/tree/path.js";
import type { Body } from "../../openstack-client/client/request.js";
import { isMadeByService } from "../read/render.js";
import type { WriteContext } from "../write/context.js";
import { rowsOf, textOf } from "../write/encode.js";
import { idOf } from "../write/names.js";

/** Addresses that the service assigns itself cannot be requested. */
export async function fixedIps(entry: TreeNode, tag: string, path: Path, context: WriteContext): Promise<Body> {
  const addressed = rowsOf(entry, tag).filter((row) => !isMadeByService(row));
  return await Promise.all(
    addressed.map(async (row): Promise<Body> => {
      const subnet = textOf(row, "subnet");
      const at = path.child(tag).entry(row.name ?? "");
      const body: Record<string, Body> = {};
      if (subnet !== undefined) body.subnet_id = await idOf(context, "subnets", subnet, at.child("subnet"));
      const address = textOf(row, "ip_address");
      if (address !== undefined) body.ip_address = address;
      return body;
    }),
  );
}

/** Whether a child of the entry is sent: an update sends the children that differ, a create the declared ones. */
export function isDue(tag: string, entry: TreeNode, tags: ReadonlySet<string> | undefined): boolean {
  return tags === undefined ? entry.children.some((child) => child.tag === tag) : tags.has(tag);
}

/** Reports that an entry lacks a value that the service needs for a create. */
export function incomplete(words: string, path: Path, { client }: WriteContext): PlumblineError {
  return new PlumblineError("cloud-incomplete-object", `"${path.name}" cannot be created: ${words}`, {
    where: { target: client.target, xpath: path.toString() },
    next: "Add it to the entry in the desired state.",
  });
}
