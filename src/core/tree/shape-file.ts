import { packageFile } from "../package-file.js";
import type { Shape } from "./shape.js";
import { type Alternatives, buildShape, type ShapeTable } from "./shape-table.js";

/**
 * Returns a function that reads a shape from a table in `schemas/` on first use and keeps it.
 *
 * @param specified File with alternatives at places that the table does not know.
 */
export function shapeIn(file: string, specified?: string): () => Shape {
  let shape: Shape | undefined;
  return () => {
    shape ??= buildShape(
      JSON.parse(packageFile(`schemas/${file}`)) as ShapeTable,
      specified === undefined ? {} : (JSON.parse(packageFile(`schemas/${specified}`)) as { alternatives: Alternatives }).alternatives,
    );
    return shape;
  };
}
