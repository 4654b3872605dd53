import { type JsonObject, textAt } from "../../../core/json/value.js";
import { leaf } from "../read/render.js";
import type { ObjectKind } from "./kinds.js";
import { entryShape, networkObject, tagsOf } from "./network-service.js";

/** Value instead of a pool id if a provider's router delegates the prefix. */
const DELEGATED = "prefix_delegation";

export const subnets: ObjectKind = {
  ...networkObject("subnets"),
  entry: entryShape("networks").child("subnets").child("entry"),
  needs: ["networks"],
  alsoNeeds: (subnet) => (poolOf(subnet) === undefined ? [] : ["subnetpools"]),
  special(subnet, inventory) {
    const [address, length] = (textAt(subnet, "cidr") ?? "").split("/");
    const pool = poolOf(subnet);
    return {
      tags: tagsOf(subnet),
      subnetpool:
        pool === undefined || !inventory.has("subnetpools") ? undefined : leaf("subnetpool", inventory.keyOf("subnetpools", pool)),
      address: leaf("address", address),
      "prefix-len": leaf("prefix-len", length),
    };
  },
};

function poolOf(subnet: JsonObject): string | undefined {
  const pool = textAt(subnet, "subnetpool_id");
  return pool === DELEGATED ? undefined : pool;
}
