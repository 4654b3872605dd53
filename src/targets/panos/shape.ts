import { readFileSync } from "node:fs";
import type { Shape } from "../../core/tree/shape.js";
import { buildShape, type ShapeTable } from "../../core/tree/shape-table.js";

const TABLE = new URL("../../../schemas/panos.shape.json", import.meta.url);

/** The shape of a firewall's `config` element, from `schemas/panos.shape.json`. */
export const panosShape: Shape = buildShape(JSON.parse(readFileSync(TABLE, "utf8")) as ShapeTable);
