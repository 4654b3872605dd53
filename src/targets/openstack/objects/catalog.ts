import { type JsonObject, objectAt, textAt } from "../../../core/json/value.js";
import { leaf, scalar } from "../read/render.js";
import type { ListName, ObjectKind } from "./kinds.js";
import { pairsNode } from "./metadata.js";
import { entryShape } from "./network-service.js";

function lookupOnly(list: ListName, request: ObjectKind["request"]): ObjectKind {
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

/** Members of every image that are not properties. */
const NO_PROPERTIES: ReadonlySet<string> = new Set(["self", "file", "schema", "direct_url", "locations"]);

export const images: ObjectKind = {
  ...lookupOnly("images", { service: "image", path: ["images"], collection: "images" }),
  special(image) {
    const known = new Set([...entryShape("images").knownTags, ...NO_PROPERTIES]);
    const own = Object.entries(image).filter(([key, value]) => !known.has(key) && typeof value === "string");
    const properties = (pairsNode("properties", own)?.children ?? []).map((property) => [property.tag, property] as const);
    return { ...Object.fromEntries(properties), name: leaf("name", textAt(image, "name")) };
  },
};

const zoneOf = (zone: JsonObject) => textAt(zone, "zoneName") ?? "";

/** Availability zones for servers. */
export const availabilityZones: ObjectKind = {
  ...lookupOnly("availability_zones", {
    service: "compute",
    path: ["os-availability-zone"],
    collection: "availabilityZoneInfo",
    key: zoneOf,
  }),
  idOf: zoneOf,
  nameOf: zoneOf,
  special: (zone) => ({ name: leaf("name", zoneOf(zone)), available: leaf("available", scalar(objectAt(zone, "zoneState")?.available)) }),
};

/** Volume snapshots, from which volumes can be created. */
export const snapshots: ObjectKind = lookupOnly("snapshots", { service: "volume", path: ["snapshots", "detail"], collection: "snapshots" });

export const flavors: ObjectKind = {
  ...lookupOnly("flavors", { service: "compute", path: ["flavors", "detail"], collection: "flavors" }),
  /** Without swap, the value is empty before compute 2.75 and 0 since then. */
  special: (flavor) => ({ name: leaf("name", textAt(flavor, "name")), swap: leaf("swap", scalar(flavor.swap) ?? "0") }),
};

/** Address groups of this project, and those shared with it. */
export const addressGroups: ObjectKind = {
  ...lookupOnly("address_groups", { service: "network", path: ["address-groups"], collection: "address_groups" }),
  isOptional: true,
};

/** Projects (tenants) that the account may use. */
export const projects: ObjectKind = lookupOnly("projects", undefined);
