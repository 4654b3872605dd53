import { packageFile } from "../package-file.js";
import type { Shape } from "./shape.js";
import { buildShape, type ShapeTable } from "./shape-table.js";

/** Returns a function that reads a shape from a table in `schemas/` on first use and keeps it. */
export function shapeIn(file: string): () => Shape {
  let shape: Shape | undefined;
  return () => {
    shape ??= buildShape(JSON.parse(packageFile(`schemas/${file}`)) as ShapeTable);
    return shape;
  };
}
