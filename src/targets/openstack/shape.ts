import { Path } from "../../core/tree/path.js";
import type { Shape } from "../../core/tree/shape.js";
import { shapeIn } from "../../core/tree/shape-file.js";

/** Shape of the root element, from `schemas/openstack.shape.json`. */
export const openstackShape: () => Shape = shapeIn("openstack.shape.json");

export const ROOT_TAG = "openstack";
export const ROOT_PATH: Path = Path.root.child(ROOT_TAG);

/** The only scope of a cloud's documents: the project of the credentials. */
export const PROJECT = "project";

/** Returns the shape of the node at `path`, which starts at the root element. */
export function shapeOf(path: Path): Shape {
  return path
    .steps()
    .slice(1)
    .reduce((shape, step) => shape.child(step.tag), openstackShape());
}
