import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { type ImportOptions, type ImportResult, importConfiguration } from "../import/import-configuration.js";
import { EDITOR_SCHEMAS, projectSchema, schemaOfKind } from "./editor-schemas.js";

/**
 * Writes a configuration as desired state. A new project also gets the schemas for completion and checks in editors, generated from the
 * tables of this version. In an existing project, schemas are updated if they exist.
 */
export function importForEditors(options: ImportOptions): ImportResult {
  const result = importConfiguration(options);
  const folder = join(result.root, "schemas");
  if (resolve(result.root) !== resolve(options.out) && !existsSync(folder)) return result;
  mkdirSync(folder, { recursive: true });
  for (const file of [...EDITOR_SCHEMAS.slice(0, 1), schemaOfKind(options.kind.kind)])
    writeFileSync(join(folder, file), projectSchema(file));
  return result;
}
