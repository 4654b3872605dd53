import { configurationSchema } from "../desired/configuration/schema.js";
import { documentSchema } from "../desired/document-schema.js";
import { withTitles } from "../desired/schema-titles.js";
import { kinds } from "../targets/registry.js";
import { SCHEMA_COMMENT } from "./outdated-schemas.js";
import { schemaText } from "./schema-text.js";

const CONFIGURATION = "plumbline.schema.json";

/** Kinds with the same shape share one schema, under the name of the first kind. */
const withShapeOfOwn = [...kinds.values()].filter(({ shape }, index, all) => all.findIndex((other) => other.shape === shape) === index);

/** Names of the schemas for editors. */
export const EDITOR_SCHEMAS: readonly string[] = [CONFIGURATION, ...withShapeOfOwn.map(({ kind }) => `${kind}.schema.json`)];

/** Returns the schema of `plumbline.yaml`, or of the documents of a kind, by its file name. */
export function editorSchema(file: string): unknown {
  if (file === CONFIGURATION) return withTitles(configurationSchema(kinds));
  const kind = withShapeOfOwn.find((each) => `${each.kind}.schema.json` === file);
  if (kind === undefined) throw new Error(`there is no schema ${file}`);
  return documentSchema(kind);
}

/** Returns the text of a schema in a project. It contains the version, so that an outdated file is recognized. */
export function projectSchema(file: string): string {
  return schemaText({ $comment: SCHEMA_COMMENT, ...(editorSchema(file) as object) });
}

/** Returns the file name of the schema for the documents of a kind. */
export function schemaOfKind(kind: string): string {
  const shape = kinds.get(kind)?.shape;
  return `${withShapeOfOwn.find((each) => each.shape === shape)?.kind ?? kind}.schema.json`;
}
