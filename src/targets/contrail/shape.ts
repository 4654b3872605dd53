import type { Shape } from "../../core/tree/shape.js";
import { shapeIn } from "../../core/tree/shape-file.js";

/** Shape of the root element, from `schemas/contrail.shape.json`. */
export const contrailShape: () => Shape = shapeIn("contrail.shape.json");
