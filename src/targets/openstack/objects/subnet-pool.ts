import { textAt } from "../../../core/json/value.js";
import type { ObjectKind } from "./kinds.js";
import { entryShape, networkObject, tagsOf } from "./network-service.js";
import { sharedWith } from "./shares.js";

/** Address pools of subnets. */
export const subnetPools: ObjectKind = {
  ...networkObject("subnetpools"),
  entry: entryShape("subnetpools"),
  needs: ["rbac_policies"],
  isOptional: true,
  special: (pool, inventory) => ({ tags: tagsOf(pool), shared_with: sharedWith(textAt(pool, "id") ?? "", inventory) }),
};
