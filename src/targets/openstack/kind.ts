import { childByTag } from "../../core/tree/lookup.js";
import { Path } from "../../core/tree/path.js";
import type { Shape } from "../../core/tree/shape.js";
import type { DesiredKind } from "../../desired/kind.js";
import { checkText } from "../../desired/leaf-types.js";
import { openstackShape } from "./shape.js";

export const ROOT_TAG = "openstack";
export const ROOT_PATH: Path = Path.root.child(ROOT_TAG);

/** The one place that documents of a cloud have: the project that the credentials are for. */
const SCOPE = "project";

/** One project of a cloud, as the loader must know it. */
export const openstackKind: DesiredKind = {
  kind: "openstack",
  rootTag: ROOT_TAG,
  shape: openstackShape,
  scopeWords: [SCOPE],
  strict: true,
  place: (scope) => (scope === SCOPE ? ROOT_PATH : undefined),
  derive(list, tag, text) {
    if (list.tag !== "subnets" || (tag !== "address" && tag !== "prefix-len")) return undefined;
    const [address, length] = text("cidr")?.split("/") ?? [];
    return tag === "address" ? address : length;
  },
  isPlatforms(entry, path) {
    const is = (tag: string, text: string) => childByTag(entry, tag)?.text === text;
    if (path.parent?.tag === "networks") return is("shared", "true") || is("router:external", "true");
    if (path.parent?.tag === "security_groups") return entry.name === "default";
    return path.parent?.tag === "ports" && (childByTag(entry, "device_owner")?.text ?? "") !== "";
  },
  checkName(list, name) {
    const { type } = shapeOf(list).child("entry");
    const expected = type === undefined ? undefined : checkText(type, name);
    return expected === undefined ? undefined : `is not ${expected}`;
  },
};

/** The shape of the node at `path`, which begins at the root element. */
function shapeOf(path: Path): Shape {
  return path
    .steps()
    .slice(1)
    .reduce((shape, step) => shape.child(step.tag), openstackShape);
}
