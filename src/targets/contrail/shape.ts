import type { Shape } from "../../core/tree/shape.js";
import { shapeIn } from "../../core/tree/shape-file.js";

/** The shape of the root element `contrail`, from `schemas/contrail.shape.json`. */
export const contrailShape: () => Shape = shapeIn("contrail.shape.json");
