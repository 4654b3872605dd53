import { objectAt, textAt, texts } from "../../../core/json/value.js";
import { TreeNode } from "../../../core/tree/node.js";
import { OWNER_METADATA } from "../owner-marks.js";
import { leaf, scalar } from "../read/render.js";
import type { ObjectKind } from "./kinds.js";
import { entryShape } from "./network-service.js";

/** From this microversion, a group shows its rules and its creator. */
export const GROUP_MICROVERSION = "2.64";

/** The name of a group cannot be changed, and there is no field for a mark. */
export const serverGroups: ObjectKind = {
  list: "server_groups",
  entry: entryShape("server_groups"),
  request: {
    service: "compute",
    path: ["os-server-groups"],
    collection: "server_groups",
    preferred: GROUP_MICROVERSION,
    isByOffset: true,
  },
  isOptional: true,
  isMarkless: true,
  needs: [],
  idOf: (group) => textAt(group, "id") ?? "",
  nameOf: (group) => textAt(group, "name") ?? "",
  markOf: (group) => {
    const owner = textAt(group, OWNER_METADATA);
    return owner === undefined ? undefined : { owner, key: textAt(group, "name") ?? "" };
  },
  special: (group) => {
    const most = leaf("max_server_per_host", scalar(objectAt(group, "rules")?.max_server_per_host));
    return {
      policy: leaf("policy", textAt(group, "policy") ?? texts(group.policies)?.[0]),
      rules: most === undefined ? undefined : new TreeNode("rules", undefined, "", [most]),
    };
  },
};
