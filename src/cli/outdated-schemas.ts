import { dirname, join } from "node:path";
import { PlumblineError } from "../core/errors.js";
import { readRegularFileSync } from "../core/regular-file.js";
import { version } from "../core/version.js";
import { kinds } from "../targets/registry.js";

/** `$comment` of a schema in a project. It contains the version, so that an outdated file is recognized. */
export const SCHEMA_COMMENT = `Written by plumbline ${version}. Update it with plumbline schema.`;

/** Maximum size of a schema, in bytes. The largest has 400,000. */
const MOST_BYTES = 4 * 1024 * 1024;

/** Returns a warning for each schema for editors in the project that another version wrote. Loads no shapes, which `validate` may not need. */
export function outdatedSchemas(configuration: string): PlumblineError[] {
  const names = ["plumbline", ...kinds.keys()].map((name) => `${name}.schema.json`);
  return names.flatMap((name) => {
    const text = textOfSchema(join(dirname(configuration), "schemas", name));
    if (text === undefined || text.slice(0, 200).includes(JSON.stringify(SCHEMA_COMMENT))) return [];
    const where = { file: `schemas/${name}` };
    const next = "Run `plumbline schema` and commit the file.";
    return [new PlumblineError("schema-outdated", "Another version of Plumbline wrote this schema for editors.", { where, next })];
  });
}

/** Returns the text of a schema. Undefined if it cannot be read. */
export function textOfSchema(file: string): string | undefined {
  try {
    return readRegularFileSync(file, MOST_BYTES).toString("utf8");
  } catch {
    return undefined;
  }
}
