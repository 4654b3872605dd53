import type { ObjectKind } from "./kinds.js";
import { entryShape, networkObject, tagsOf } from "./network-service.js";

export const networks: ObjectKind = {
  ...networkObject("networks"),
  entry: entryShape("networks"),
  needs: ["subnets"],
  nested: { list: "subnets", parent: "network_id" },
  special: (network) => ({ tags: tagsOf(network) }),
};
