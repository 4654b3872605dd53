import { type JsonObject, objectAt, objectsAt, textAt, texts } from "../../core/json/value.js";
import { TreeNode } from "../../core/tree/node.js";
import type { Shape } from "../../core/tree/shape.js";
import { PARENT, parentOf } from "./collections.js";
import { decodeFields } from "./json-tree/decode.js";
import { isMark, ownerOf } from "./owner-marks.js";

/** Returns the name of an object in the tree: the parts of its `fq_name`, joined by colons. */
export function nameOf(document: JsonObject): string {
  return texts(document.fq_name)?.join(":") ?? "";
}

/** Builds the entry of an object. The owner's mark is shown as a leaf `owner`, not in the annotations. */
export function decodeObject(document: JsonObject, shape: Shape): TreeNode {
  const name = nameOf(document);
  const owner = ownerOf(document, name);
  const pairs = objectsAt(objectAt(document, "annotations") ?? {}, "key_value_pair");
  const shown: JsonObject = {
    ...document,
    [PARENT]: parentOf(name),
    annotations: { key_value_pair: pairs.filter((pair) => !isMark(textAt(pair, "key") ?? "")) },
    ...(owner === undefined ? {} : { owner }),
  };
  if (owner === undefined) delete shown.owner;
  return new TreeNode("entry", name, "", decodeFields(shown, shape));
}
