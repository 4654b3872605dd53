import { writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { configurationSchema } from "../desired/configuration/schema.js";
import { documentSchema } from "../desired/document-schema.js";
import { reportSchema } from "../report/schema.js";
import { kinds } from "../targets/registry.js";
import { schemaText } from "./schema-text.js";

/** Kinds with the same shape share one schema, under the name of the first kind. */
const withShapeOfOwn = [...kinds.values()].filter(({ shape }, index, all) => all.findIndex((other) => other.shape === shape) === index);

/**
 * Every JSON Schema in `schemas/` that is generated from the code, by file name. `npm run schemas` writes them; a test fails if one is
 * outdated.
 */
export const schemas: ReadonlyMap<string, unknown> = new Map<string, unknown>([
  ["plumbline.schema.json", configurationSchema(kinds)],
  ...withShapeOfOwn.map((kind) => [`${kind.kind}.schema.json`, documentSchema(kind)] as const),
  ["report.schema.json", reportSchema],
]);

if (process.argv[1] === fileURLToPath(import.meta.url))
  for (const [file, schema] of schemas) writeFileSync(new URL(`../../schemas/${file}`, import.meta.url), schemaText(schema));
