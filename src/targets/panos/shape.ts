import { packageFile } from "../../core/package-file.js";
import type { Shape } from "../../core/tree/shape.js";
import { shapeIn } from "../../core/tree/shape-file.js";
import { buildFields, type FieldPlace, type FieldTable } from "../../desired/field-table.js";

/**
 * The shape of a firewall's `config` element, from `schemas/panos.shape.json`. Places that this table does not know have the alternatives
 * of `schemas/panos.specified.json`.
 */
export const panosShape: () => Shape = shapeIn("panos.shape.json", "panos.specified.json");

let fields: FieldPlace | undefined;

/**
 * Valid values of a firewall's `config` element, from `schemas/panos.values.json`. Leaves that this table does not know have the limits of
 * `schemas/panos.specified.json`. Loaded on first use.
 */
export function panosFields(): FieldPlace {
  if (fields === undefined) {
    const { values } = JSON.parse(packageFile("schemas/panos.specified.json")) as { values: FieldTable };
    fields = buildFields(JSON.parse(packageFile("schemas/panos.values.json")) as FieldTable, values);
  }
  return fields;
}
