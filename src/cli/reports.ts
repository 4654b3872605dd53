import { writeFile } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import type { Command as CommandLine } from "commander";
import { PlumblineError, PlumblineErrors } from "../core/errors.js";
import { readCheckout } from "../engine/checkout.js";
import { folderIn } from "../engine/pass/folder.js";
import type { Command, TargetOutcome } from "../outcome/outcome.js";
import { type Format, renderers } from "../report/renderers.js";
import type { Context } from "./context.js";
import { FORMATS, type FormatOption, findConfiguration, type GlobalOptions } from "./options.js";
import type { Session } from "./session.js";

export interface ReportFlags extends GlobalOptions, FormatOption {
  /** `format=file` rows of `--report`. */
  readonly report: readonly string[];
}

/** Formats that go to a code host, where an empty report would look as if nothing had run. */
const SHOWN_ELSEWHERE: ReadonlySet<Format> = new Set(["markdown", "sarif", "junit"]);

/** One look at the targets, several reports of it: a comment, lines in a review, and the text in the job's log. */
export function withReports(command: CommandLine): CommandLine {
  return command.option(
    "--report <format=file>",
    "also write the report in this format to a file (repeatable)",
    (row: string, rows: readonly string[]) => [...rows, row],
    [],
  );
}

/**
 * Prints what `look` finds, and writes the files of `--report`. A desired state that does not load is reported too, in the
 * formats that a code host shows; the error then goes on.
 */
export async function reporting(
  command: Command,
  flags: ReportFlags,
  context: Context,
  session: Session,
  look: () => Promise<TargetOutcome[]>,
): Promise<TargetOutcome[]> {
  const files = flags.report.map(fileOf);
  const write = async (outcomes: readonly TargetOutcome[], only: (format: Format) => boolean): Promise<void> => {
    for (const { format, file } of files) {
      const text = renderers[format](command, outcomes, (_colour, words) => words);
      if (only(format)) await writeFile(resolve(context.folder, file), text);
    }
    if (only(flags.format)) context.stdout.write(renderers[flags.format](command, outcomes, session.paint));
  };
  try {
    const outcomes = await look();
    session.progress.end();
    await write(outcomes, () => true);
    return outcomes;
  } catch (error) {
    session.progress.end();
    const outcomes = await outcomesOf(error, flags, context);
    if (outcomes.length > 0) await write(outcomes, (format) => SHOWN_ELSEWHERE.has(format));
    throw error;
  }
}

function fileOf(row: string): { readonly format: Format; readonly file: string } {
  const at = row.indexOf("=");
  const format = FORMATS.find((name) => name === row.slice(0, at));
  if (format !== undefined && at < row.length - 1) return { format, file: row.slice(at + 1) };
  throw new PlumblineError("option-invalid", `--report ${row} names no format and file.`, {
    next: `Write for example --report markdown=plan.md; formats: ${FORMATS.join(", ")}.`,
  });
}

async function outcomesOf(error: unknown, flags: ReportFlags, context: Context): Promise<TargetOutcome[]> {
  const errors = error instanceof PlumblineErrors ? error.errors : error instanceof PlumblineError ? [error] : [];
  if (errors.length === 0) return [];
  const folder = await folderOf(flags, context);
  return errors.map((one) => ({ target: one.where.target ?? "desired state", kind: "", error: one, folder, warnings: [] }));
}

async function folderOf(flags: ReportFlags, context: Context): Promise<string | undefined> {
  try {
    return folderIn(await readCheckout(dirname(findConfiguration(flags, context))));
  } catch {
    // What cannot be found has been said by the error that is reported.
    return undefined;
  }
}
