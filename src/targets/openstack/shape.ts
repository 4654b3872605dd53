import { Path } from "../../core/tree/path.js";
import type { Shape } from "../../core/tree/shape.js";
import { shapeIn } from "../../core/tree/shape-file.js";

/** The shape of the root element `openstack`, from `schemas/openstack.shape.json`. */
export const openstackShape: () => Shape = shapeIn("openstack.shape.json");

export const ROOT_TAG = "openstack";
export const ROOT_PATH: Path = Path.root.child(ROOT_TAG);

/** The one scope that documents of a cloud have: the project that the credentials are for. */
export const PROJECT = "project";

/** The shape of the node at `path`, which begins at the root element. */
export function shapeOf(path: Path): Shape {
  return path
    .steps()
    .slice(1)
    .reduce((shape, step) => shape.child(step.tag), openstackShape());
}
