import { readFileSync } from "node:fs";
import type { Shape } from "./shape.js";
import { buildShape, type ShapeTable } from "./shape-table.js";

/** The shape whose table is a file of `schemas/`. It is read when the shape is first asked for, and then kept. */
export function shapeIn(file: string): () => Shape {
  let shape: Shape | undefined;
  return () => {
    shape ??= buildShape(JSON.parse(readFileSync(new URL(`../../../schemas/${file}`, import.meta.url), "utf8")) as ShapeTable);
    return shape;
  };
}
