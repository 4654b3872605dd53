import { mkdirSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { writeAtomically } from "../../core/atomic-file.js";
import { joinLines } from "../../core/printable.js";
import type { Context } from "../context.js";
import { EDITOR_SCHEMAS, projectSchema } from "../editor-schemas.js";
import { findConfiguration, type GlobalOptions, type PlainFormat } from "../options.js";
import { textOfSchema } from "../outdated-schemas.js";
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
    if (textOfSchema(file) === text) continue;
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
