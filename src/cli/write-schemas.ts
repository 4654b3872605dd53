import { writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { configurationSchema } from "../desired/configuration/schema.js";
import { documentSchema } from "../desired/document-schema.js";
import { reportSchema } from "../report/schema.js";
import { kinds } from "../targets/registry.js";

/** Documents of kinds that share a shape say the same: they have one schema, under the first one's name. */
const withShapeOfOwn = [...kinds.values()].filter(({ shape }, index, all) => all.findIndex((other) => other.shape === shape) === index);

/** Every JSON Schema in `schemas/` that is generated from the code, by file name. `npm run schemas` writes them; a test fails when one is stale. */
export const schemas: ReadonlyMap<string, unknown> = new Map<string, unknown>([
  ["plumbline.schema.json", configurationSchema(kinds)],
  ...withShapeOfOwn.map((kind) => [`${kind.kind}.schema.json`, documentSchema(kind)] as const),
  ["report.schema.json", reportSchema],
]);

/** A schema as it stands in its file: one line a definition, so that changes can be read. */
export function schemaText(schema: unknown): string {
  const { definitions, ...rest } = schema as { readonly definitions?: Readonly<Record<string, unknown>> };
  const head = JSON.stringify(rest, undefined, 2);
  if (definitions === undefined) return `${head}\n`;
  const lines = Object.entries(definitions).map(([name, definition]) => `    ${JSON.stringify(name)}: ${JSON.stringify(definition)}`);
  return `${head.slice(0, -2)},\n  "definitions": {\n${lines.join(",\n")}\n  }\n}\n`;
}

if (process.argv[1] === fileURLToPath(import.meta.url))
  for (const [file, schema] of schemas) writeFileSync(new URL(`../../schemas/${file}`, import.meta.url), schemaText(schema));
