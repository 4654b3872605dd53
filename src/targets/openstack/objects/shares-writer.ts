import { PlumblineError } from "../../../core/errors.js";
import { objectAt, textAt } from "../../../core/json/value.js";
import { isNotFound, OpenstackError } from "../../openstack-client/client/openstack-error.js";
import type { WriteContext } from "../write/context.js";
import { textsOf } from "../write/encode.js";
import type { NetworkParts, Parts } from "./network-writer.js";
import { ACTION, SHARED_WITH, sharesOf } from "./shares.js";

/** Adds sharing with other projects to a writer. Each project needs a separate policy. */
export function shareable(parts: NetworkParts): NetworkParts {
  return {
    ...parts,
    own: [...parts.own, SHARED_WITH],
    async addParts(given) {
      const hasNewParts = (await parts.addParts?.(given)) === true;
      return (await share(parts.singular, given)) || hasNewParts;
    },
    async removeParts(given) {
      await parts.removeParts?.(given);
      await unshare(given);
    },
    refresh: { of: [SHARED_WITH], read: refreshShares },
  };
}

async function share(type: string, { id, before, after, path, context: { client, inventory } }: Parts): Promise<boolean> {
  const had = new Set(textsOf(before, SHARED_WITH));
  const added = textsOf(after, SHARED_WITH).filter((project) => !had.has(project));
  if (added.length > 0 && inventory.isAbsent("rbac_policies"))
    throw new PlumblineError(
      "cloud-extension-missing",
      "the network service of this cloud does not support sharing, or not for this account",
      {
        where: { target: client.target, xpath: path.child(SHARED_WITH).toString() },
        next: "Remove shared_with from the entry, or ask the cloud's operator for the extension rbac-policies and the permission to list them.",
      },
    );
  for (const project of added) {
    const rbac_policy = { object_type: type, object_id: id, action: ACTION, target_tenant: project };
    try {
      const { body } = await client.request({ service: "network", method: "POST", path: ["rbac-policies"], body: { rbac_policy } });
      const policy = objectAt(body, "rbac_policy");
      if (policy !== undefined) inventory.put("rbac_policies", policy);
    } catch (error) {
      // The policy already exists.
      if (!(error instanceof OpenstackError) || error.type !== "DuplicateRbacPolicy") throw error;
    }
  }
  return added.length > 0;
}

async function unshare({ id, before, after, context: { client, inventory } }: Parts): Promise<void> {
  const wanted = new Set(textsOf(after, SHARED_WITH));
  const removed = new Set(textsOf(before, SHARED_WITH).filter((project) => !wanted.has(project)));
  for (const [project, policy] of sharesOf(id, inventory)) {
    if (!removed.has(project)) continue;
    await client.request({ service: "network", method: "DELETE", path: ["rbac-policies", policy] }).catch((error: unknown) => {
      if (!isNotFound(error)) throw error;
    });
    inventory.remove("rbac_policies", policy);
  }
}

async function refreshShares(id: string, { client, inventory }: WriteContext): Promise<void> {
  await inventory.load(["rbac_policies"]);
  if (inventory.isAbsent("rbac_policies")) return;
  const request = { service: "network" as const, path: ["rbac-policies"], collection: "rbac_policies" };
  const now = await client.list({ ...request, query: [["object_id", id]] });
  for (const policy of inventory.where("rbac_policies", "object_id", id)) inventory.remove("rbac_policies", textAt(policy, "id") ?? "");
  for (const policy of now) inventory.put("rbac_policies", policy);
}
