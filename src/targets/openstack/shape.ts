import { readFileSync } from "node:fs";
import type { Shape } from "../../core/tree/shape.js";
import { buildShape, type ShapeTable } from "../../core/tree/shape-table.js";

const TABLE = new URL("../../../schemas/openstack.shape.json", import.meta.url);

/** The shape of the root element `openstack`, from `schemas/openstack.shape.json`. */
export const openstackShape: Shape = buildShape(JSON.parse(readFileSync(TABLE, "utf8")) as ShapeTable);
