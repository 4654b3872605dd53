import type { Shape } from "../../core/tree/shape.js";
import { shapeIn } from "../../core/tree/shape-file.js";

/** The shape of a firewall's `config` element, from `schemas/panos.shape.json`. */
export const panosShape: () => Shape = shapeIn("panos.shape.json");
