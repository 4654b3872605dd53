import { dirname, join, relative, resolve } from "node:path";
import { writeAtomically } from "../../core/atomic-file.js";
import { PlumblineError, PlumblineErrors } from "../../core/errors.js";
import { joinLines } from "../../core/printable.js";
import { readRegularFile } from "../../core/regular-file.js";
import { parseConfiguration } from "../../desired/configuration/read.js";
import { MOST_DOCUMENT_BYTES, readDocuments } from "../../desired/files.js";
import { Problems } from "../../desired/problems.js";
import { formatYaml } from "../../import/format.js";
import { errorLines } from "../../report/error-lines.js";
import { errorView } from "../../report/error-view.js";
import { count } from "../../report/format-counts.js";
import { choosePaint } from "../../report/style.js";
import { kinds } from "../../targets/registry.js";
import type { Context } from "../context.js";
import { findConfiguration, type GlobalOptions, type PlainFormat } from "../options.js";
import { show } from "../show.js";

interface Flags extends GlobalOptions, PlainFormat {
  readonly check?: boolean;
}

const PENDING = 2;

/** Formats documents and plumbline.yaml. With --check, lists files that are not formatted. Returns the exit code. */
export async function fmt(flags: Flags, context: Context, named: readonly string[]): Promise<number> {
  const files = named.length > 0 ? named.map((name) => resolve(context.folder, name)) : await filesOf(flags, context);
  const changed: string[] = [];
  const problems: PlumblineError[] = [];
  for (const file of files) {
    const name = relative(context.folder, file);
    try {
      if (await formatFile(file, name, flags.check === true)) changed.push(name);
    } catch (error) {
      if (!(error instanceof PlumblineError)) throw error;
      problems.push(error);
    }
  }
  const paint = choosePaint(context.stdout, context.environment, flags.color);
  show(
    flags,
    context,
    () => ({ files: files.length, changed, errors: problems.map(errorView) }),
    () => {
      const word = flags.check === true ? "would be formatted" : "formatted";
      const last =
        changed.length === 0
          ? `${count(files.length, "file")} as they should be`
          : `${changed.length} of ${count(files.length, "file")} ${word}`;
      return joinLines([...changed.map((name) => `  ${paint("yellow", "~")} ${name}`), last]);
    },
  );
  for (const problem of problems) context.stderr.write(joinLines(errorLines(problem, paint)));
  if (problems.length > 0) return 1;
  return flags.check === true && changed.length > 0 ? PENDING : 0;
}

async function filesOf(flags: Flags, context: Context): Promise<string[]> {
  const file = findConfiguration(flags, context);
  const { text } = await parseConfiguration(file, kinds);
  const root = dirname(file);
  const problems = new Problems();
  const folders = { root, configurationFile: relative(root, file), documents: text.documents, exclude: text.exclude ?? [] };
  const documents = await readDocuments(folders, problems);
  if (problems.errors.length > 0) throw new PlumblineErrors(problems.errors);
  return [file, ...documents.map(({ name }) => join(root, name))];
}

/** Returns true if the file was changed, or with `isDryRun` would be changed. */
async function formatFile(file: string, name: string, isDryRun: boolean): Promise<boolean> {
  const source = await textOf(file, name);
  const formatted = formatYaml(source);
  if ("problem" in formatted) {
    throw new PlumblineError("format-left-alone", `The file was not changed: ${formatted.problem}.`, {
      where: { file: name, line: formatted.line },
      next: "Run `plumbline validate` for details.",
    });
  }
  if (formatted.text === source) return false;
  if (isDryRun) return true;
  // An editor may have saved the file since it was read.
  if ((await textOf(file, name)) !== source) {
    throw new PlumblineError("format-left-alone", "The file was not changed, because it was saved in the meantime.", {
      where: { file: name },
      next: "Run it again.",
    });
  }
  await writeAtomically(file, formatted.text);
  return true;
}

async function textOf(file: string, name: string): Promise<string> {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(await readRegularFile(file, MOST_DOCUMENT_BYTES));
  } catch (cause) {
    throw new PlumblineError("format-left-alone", "The file cannot be read, is not a regular file, or is not UTF-8 text.", {
      where: { file: name },
      next: "Check its name and its rights.",
      cause,
    });
  }
}
