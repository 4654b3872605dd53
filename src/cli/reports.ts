import { writeFile } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { PlumblineError, PlumblineErrors } from "../core/errors.js";
import { printableLines } from "../core/printable.js";
import { redactUrls } from "../core/redact-urls.js";
import { readCheckout } from "../engine/checkout/checkout.js";
import { folderIn } from "../engine/pass/folder.js";
import { type Command, outcomeCode, type TargetOutcome } from "../outcome/outcome.js";
import { type Format, formats, renderers } from "../report/renderers.js";
import { plain } from "../report/style.js";
import type { Context } from "./context.js";
import { type FormatOption, findConfiguration, type GlobalOptions } from "./options.js";
import type { Terminal } from "./terminal.js";

const PENDING = 2;

export interface ReportFlags extends GlobalOptions, FormatOption {
  /** `format=file` values of `--report`. */
  readonly report: readonly string[];
}

/**
 * Prints the outcomes of `look` and writes the files of `--report`. If the desired state does not load, the formats for code hosts report
 * the errors too, and the error is thrown again.
 */
export async function reporting(
  command: Command,
  flags: ReportFlags,
  context: Context,
  session: Terminal,
  look: () => Promise<TargetOutcome[]>,
): Promise<TargetOutcome[]> {
  const files = flags.report.map(fileOf);
  const write = async (outcomes: readonly TargetOutcome[], only: (format: Format) => boolean): Promise<void> => {
    for (const { format, file } of files.filter(({ format }) => only(format))) {
      const render = await renderers[format].load();
      await writeFile(resolve(context.folder, file), printableLines(redactUrls(render(command, outcomes, plain))));
    }
    if (!only(flags.format)) return;
    await printReport(command, flags, context, session, outcomes);
  };
  try {
    const outcomes = await look();
    session.progress.end();
    await write(outcomes, () => true);
    return outcomes;
  } catch (error) {
    session.progress.end();
    const outcomes = await outcomesOf(error, flags, context);
    if (outcomes.length > 0) await write(outcomes, (format) => renderers[format].shownElsewhere);
    throw error;
  }
}

/** Prints the report on standard output. The text format ends with a line that summarizes the run. */
export async function printReport(
  command: Command,
  { format, quiet }: FormatOption & Pick<GlobalOptions, "quiet">,
  context: Context,
  { paint }: Pick<Terminal, "paint">,
  outcomes: readonly TargetOutcome[],
): Promise<void> {
  const render = await renderers[format].load();
  if (format !== "text") {
    context.stdout.write(render(command, outcomes, paint));
    return;
  }
  const { lastLine } = await import("../report/last-line.js");
  const shown = quiet === true ? outcomes.filter((outcome) => outcomeCode(outcome) !== 0 && outcomeCode(outcome) !== PENDING) : outcomes;
  const text = shown.length === 0 ? "" : `${render(command, shown, paint)}\n`;
  context.stdout.write(`${text}${lastLine(command, outcomes)}`);
}

function fileOf(row: string): { readonly format: Format; readonly file: string } {
  const at = row.indexOf("=");
  const format = formats.find((name) => name === row.slice(0, at));
  if (format !== undefined && at < row.length - 1) return { format, file: row.slice(at + 1) };
  throw new PlumblineError("option-invalid", `--report ${row} names no format and file.`, {
    next: `Write for example --report markdown=plan.md; formats: ${formats.join(", ")}.`,
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
    // The error that is being reported already covers a missing configuration.
    return undefined;
  }
}
