import { textAt } from "../../../core/json/value.js";
import { leaf, scalar } from "../read/render.js";
import type { ListName, ObjectKind } from "./kinds.js";
import { entryShape } from "./network-service.js";

function lookedUp(list: ListName, request: ObjectKind["request"]): ObjectKind {
  return {
    list,
    entry: entryShape(list),
    request,
    needs: [],
    idOf: (object) => textAt(object, "id") ?? "",
    nameOf: (object) => textAt(object, "name") ?? "",
    markOf: () => undefined,
    special: (object) => ({ name: leaf("name", textAt(object, "name")) }),
  };
}

export const images: ObjectKind = lookedUp("images", { service: "image", path: ["images"], collection: "images" });

/** Points in time of volumes, to make others from. */
export const snapshots: ObjectKind = lookedUp("snapshots", { service: "volume", path: ["snapshots", "detail"], collection: "snapshots" });

export const flavors: ObjectKind = {
  ...lookedUp("flavors", { service: "compute", path: ["flavors", "detail"], collection: "flavors" }),
  /** No swap is empty text before compute 2.75, and 0 since. */
  special: (flavor) => ({ name: leaf("name", textAt(flavor, "name")), swap: leaf("swap", scalar(flavor.swap) ?? "0") }),
};

/** Of this project, and those that others share with it. */
export const addressGroups: ObjectKind = {
  ...lookedUp("address_groups", { service: "network", path: ["address-groups"], collection: "address_groups" }),
  isOptional: true,
};

/** The projects (tenants) that the account may use. */
export const projects: ObjectKind = lookedUp("projects", undefined);
