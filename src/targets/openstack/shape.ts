import { readFileSync } from "node:fs";
import { Path } from "../../core/tree/path.js";
import type { Shape } from "../../core/tree/shape.js";
import { buildShape, type ShapeTable } from "../../core/tree/shape-table.js";

const TABLE = new URL("../../../schemas/openstack.shape.json", import.meta.url);

/** The shape of the root element `openstack`, from `schemas/openstack.shape.json`. */
export const openstackShape: Shape = buildShape(JSON.parse(readFileSync(TABLE, "utf8")) as ShapeTable);

export const ROOT_TAG = "openstack";
export const ROOT_PATH: Path = Path.root.child(ROOT_TAG);

/** The shape of the node at `path`, which begins at the root element. */
export function shapeOf(path: Path): Shape {
  return path
    .steps()
    .slice(1)
    .reduce((shape, step) => shape.child(step.tag), openstackShape);
}
