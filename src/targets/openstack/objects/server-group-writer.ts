import { PlumblineError } from "../../../core/errors.js";
import { type JsonObject, objectAt, textAt, texts } from "../../../core/json/value.js";
import { childByTag } from "../../../core/tree/lookup.js";
import type { TreeNode } from "../../../core/tree/node.js";
import type { Path } from "../../../core/tree/path.js";
import { isNotFound, isOutcomeUnknown } from "../../openstack-client/client/openstack-error.js";
import type { WriteContext } from "../write/context.js";
import { createOnce } from "../write/create.js";
import { type Members, textOf } from "../write/encode.js";
import { incomplete } from "./network-members.js";
import { markFor, missingInReply } from "./network-writer.js";
import { GROUP_MICROVERSION, serverGroups } from "./server-group.js";
import type { ObjectWriter } from "./writers.js";

/** From this microversion, soft policies exist. */
const SOFT = "2.15";

const COLLECTION = { service: "compute", path: ["os-server-groups"] } as const;

/** Creates and deletes server groups. They cannot be changed. */
export const serverGroupObjects: ObjectWriter = {
  async create(entry, path, context) {
    markFor(entry, path, context);
    const { body: server_group, microversion } = createBody(entry, path, context);
    const create = async () => {
      const reply = await context.client.request({ ...COLLECTION, method: "POST", body: { server_group }, microversion });
      const object = objectAt(reply.body, "server_group");
      if (object === undefined) throw missingInReply(context, "POST os-server-groups");
      return { object, reply };
    };
    const { object } = await createOnce(context, path, create, () => findMade(entry, path, context));
    context.inventory.own("server_groups", object);
  },

  async update({ object }, { inventory }) {
    inventory.own("server_groups", object);
  },

  /** The service would delete a group that has servers, which would then be in no group. No plan wants that. */
  async remove(group, path, context) {
    const members = texts(group.members) ?? [];
    if (members.length > 0) throw inUse(members, path, context);
    const id = serverGroups.idOf(group);
    try {
      await context.client.request({ ...COLLECTION, method: "DELETE", path: [...COLLECTION.path, id] });
    } catch (error) {
      const isDeleted = isNotFound(error) || (isOutcomeUnknown(error) && (await serverGroupObjects.fresh(id, context)) === undefined);
      if (!isDeleted) throw error;
    }
    context.inventory.remove("server_groups", id);
  },

  async fresh(id, { client, inventory }) {
    try {
      const path = [...COLLECTION.path, id];
      const { body } = await client.request({ ...COLLECTION, method: "GET", path, preferred: GROUP_MICROVERSION });
      const group = objectAt(body, "server_group");
      if (group !== undefined) inventory.put("server_groups", group);
      return inventory.object("server_groups", id);
    } catch (error) {
      if (!isNotFound(error)) throw error;
      inventory.remove("server_groups", id);
      return undefined;
    }
  },
};

/** Uses the oldest microversion that supports the declared values. */
function createBody(entry: TreeNode, path: Path, context: WriteContext): { body: Members; microversion: string | undefined } {
  const [policy, most] = [textOf(entry, "policy"), mostOf(entry)];
  if (policy === undefined) throw incomplete("a server group needs its policy", path, context);
  const name = path.name ?? "";
  if (most !== undefined) return { body: { name, policy, rules: { max_server_per_host: Number(most) } }, microversion: GROUP_MICROVERSION };
  return { body: { name, policies: [policy] }, microversion: policy.startsWith("soft-") ? SOFT : undefined };
}

function mostOf(entry: TreeNode): string | undefined {
  return textOf(childByTag(entry, "rules"), "max_server_per_host");
}

/** Finds a new group with the name and policy that this account created. */
async function findMade(entry: TreeNode, path: Path, { client, inventory }: WriteContext): Promise<JsonObject | undefined> {
  const { user } = await client.session();
  const { request, special } = serverGroups;
  if (request === undefined) return undefined;
  const isMade = (group: JsonObject): boolean =>
    textAt(group, "name") === path.name &&
    textAt(group, "user_id") === user?.id &&
    inventory.object("server_groups", serverGroups.idOf(group)) === undefined &&
    special(group, inventory).policy?.text === textOf(entry, "policy");
  return (await client.list(request)).find(isMade);
}

function inUse(members: readonly string[], path: Path, { client, inventory }: WriteContext): PlumblineError {
  const words = members.map((id) => {
    const name = inventory.has("servers") ? textAt(inventory.object("servers", id) ?? {}, "name") : undefined;
    return name === undefined ? id : `"${name}" (${id})`;
  });
  return new PlumblineError(
    "cloud-in-use",
    `server group "${path.name}" has servers that would then belong to no group: ${words.join(", ")}`,
    {
      where: { target: client.target, xpath: path.toString() },
      next: "A server stays in its group: delete or recreate it elsewhere first, or keep the group.",
    },
  );
}
