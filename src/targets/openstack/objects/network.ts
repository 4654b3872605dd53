import { textAt } from "../../../core/json/value.js";
import type { ObjectKind } from "./kinds.js";
import { entryShape, networkObject, tagsOf } from "./network-service.js";
import { sharedWith } from "./shares.js";

export const networks: ObjectKind = {
  ...networkObject("networks"),
  entry: entryShape("networks"),
  needs: ["subnets", "rbac_policies"],
  nested: { list: "subnets", parent: "network_id" },
  special: (network, inventory) => ({ tags: tagsOf(network), shared_with: sharedWith(textAt(network, "id") ?? "", inventory) }),
};
