import { writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { reportSchema } from "../report/schema.js";
import { EDITOR_SCHEMAS, editorSchema } from "./editor-schemas.js";
import { schemaText } from "./schema-text.js";

/**
 * Every JSON Schema in `schemas/` that is generated from the code, by file name. `npm run schemas` writes them; a test fails if one is
 * outdated.
 */
export const schemas: ReadonlyMap<string, unknown> = new Map<string, unknown>([
  ...EDITOR_SCHEMAS.map((file) => [file, editorSchema(file)] as const),
  ["report.schema.json", reportSchema],
]);

if (process.argv[1] === fileURLToPath(import.meta.url))
  for (const [file, schema] of schemas) writeFileSync(new URL(`../../schemas/${file}`, import.meta.url), schemaText(schema));
