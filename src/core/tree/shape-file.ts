import { packageFile } from "../package-file.js";
import type { Shape } from "./shape.js";
import { buildShape, type ShapeTable } from "./shape-table.js";

/** The shape whose table is a file of `schemas/`. It is read when the shape is first asked for, and then kept. */
export function shapeIn(file: string): () => Shape {
  let shape: Shape | undefined;
  return () => {
    shape ??= buildShape(JSON.parse(packageFile(`schemas/${file}`)) as ShapeTable);
    return shape;
  };
}
