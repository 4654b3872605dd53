import { textAt } from "../../../core/json/value.js";
import { leaf } from "../read/render.js";
import type { ObjectKind } from "./kinds.js";
import { entryShape, networkObject, tagsOf } from "./network-service.js";

export const subnets: ObjectKind = {
  ...networkObject("subnets"),
  entry: entryShape("networks").child("subnets").child("entry"),
  needs: ["networks"],
  special(subnet) {
    const [address, length] = (textAt(subnet, "cidr") ?? "").split("/");
    return { tags: tagsOf(subnet), address: leaf("address", address), "prefix-len": leaf("prefix-len", length) };
  },
};
