import { mkdirSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { writeAtomically } from "../../core/atomic-file.js";
import { PlumblineError } from "../../core/errors.js";
import { joinLines } from "../../core/printable.js";
import { readRegularFileSync } from "../../core/regular-file.js";
import type { Context } from "../context.js";
import { EDITOR_SCHEMAS, isOutdated, projectSchema } from "../editor-schemas.js";
import { findConfiguration, type GlobalOptions, type PlainFormat } from "../options.js";
import { show } from "../show.js";

interface Flags extends GlobalOptions, PlainFormat {
  readonly out?: string;
}

/** Writes the schemas of this version for editors. Returns the exit code. */
export async function schema(flags: Flags, context: Context): Promise<number> {
  const folder = flags.out === undefined ? join(dirname(findConfiguration(flags, context)), "schemas") : resolve(context.folder, flags.out);
  mkdirSync(folder, { recursive: true });
  const files = EDITOR_SCHEMAS.map((name) => join(folder, name));
  const changed: string[] = [];
  for (const [at, file] of files.entries()) {
    const text = projectSchema(EDITOR_SCHEMAS[at] ?? "");
    if (textOf(file) === text) continue;
    await writeAtomically(file, text);
    changed.push(file);
  }
  const names = changed.map((file) => relative(context.folder, file));
  show(
    flags,
    context,
    () => ({ folder, written: names }),
    () => joinLines([...names.map((name) => `  + ${name}`), `${names.length} of ${files.length} schemas written`]),
  );
  return 0;
}

/** Returns a warning for each schema in the project that another version wrote. */
export function outdatedSchemas(configuration: string): PlumblineError[] {
  const folder = join(dirname(configuration), "schemas");
  return EDITOR_SCHEMAS.flatMap((name) => {
    const text = textOf(join(folder, name));
    if (text === undefined || !isOutdated(text)) return [];
    const where = { file: `schemas/${name}` };
    const next = "Run `plumbline schema` and commit the file.";
    return [new PlumblineError("schema-outdated", "Another version of Plumbline wrote this schema for editors.", { where, next })];
  });
}

/** Maximum size of a schema, in bytes. The largest has 400,000. */
const MOST_BYTES = 4 * 1024 * 1024;

/** Returns the text of a file. Undefined if it cannot be read. */
function textOf(file: string): string | undefined {
  try {
    return readRegularFileSync(file, MOST_BYTES).toString("utf8");
  } catch {
    return undefined;
  }
}
