import { textAt } from "../../../core/json/value.js";
import { keyPairMark, withoutMark } from "../owner-marks.js";
import { leaf } from "../read/render.js";
import type { ObjectKind } from "./kinds.js";
import { entryShape } from "./network-service.js";

/** Key pairs belong to the user, not to the project. Their names are unique. */
export const keyPairs: ObjectKind = {
  list: "keypairs",
  entry: entryShape("keypairs"),
  request: {
    service: "compute",
    path: ["os-keypairs"],
    collection: "keypairs",
    key: (item) => textAt((item.keypair ?? {}) as typeof item, "name"),
  },
  wrapper: "keypair",
  needs: [],
  idOf: (pair) => textAt(pair, "name") ?? "",
  nameOf: (pair) => textAt(pair, "name") ?? "",
  markOf: keyPairMark,
  special: (pair) => ({ public_key: leaf("public_key", withoutMark(textAt(pair, "public_key") ?? "")) }),
};
