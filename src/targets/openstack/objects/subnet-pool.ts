import type { ObjectKind } from "./kinds.js";
import { entryShape, networkObject, tagsOf } from "./network-service.js";

/** Networks that subnets are cut from. */
export const subnetPools: ObjectKind = {
  ...networkObject("subnetpools"),
  entry: entryShape("subnetpools"),
  needs: [],
  isOptional: true,
  special: (pool) => ({ tags: tagsOf(pool) }),
};
