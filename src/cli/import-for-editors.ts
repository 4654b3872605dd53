import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { configurationSchema } from "../desired/configuration/schema.js";
import { documentSchema } from "../desired/document-schema.js";
import { type ImportOptions, type ImportResult, importConfiguration } from "../import/import-configuration.js";
import { kinds } from "../targets/registry.js";
import { schemaText } from "./schema-text.js";

/**
 * Writes a configuration as desired state. A new project also gets the schemas for completion and checks in editors, generated from the
 * tables of this version. In an existing project, schemas are updated if they exist.
 */
export function importForEditors(options: ImportOptions): ImportResult {
  const result = importConfiguration(options);
  const folder = join(result.root, "schemas");
  if (resolve(result.root) !== resolve(options.out) && !existsSync(folder)) return result;
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "plumbline.schema.json"), schemaText(configurationSchema(kinds)));
  writeFileSync(join(folder, `${options.kind.kind}.schema.json`), schemaText(documentSchema(options.kind)));
  return result;
}
