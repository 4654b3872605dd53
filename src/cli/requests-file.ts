import { CsvError, parse } from "csv-parse/sync";
import { PlumblineError } from "../core/errors.js";
import type { AccessWords } from "../outcome/access.js";

const COLUMNS = ["from", "to", "service", "application", "user", "from-zone", "to-zone"] as const;
type Column = (typeof COLUMNS)[number];
const NEEDED: readonly Column[] = ["from", "to", "service"];

interface Row {
  readonly line: number;
  readonly cells: readonly string[];
}

/** Parses the CSV file of `plumbline allow --requests`. Without an application, a request is about every application. */
export function requestsIn(text: string, file: string): AccessWords[] {
  const fault = (line: number | undefined, problem: string) =>
    new PlumblineError("requests-invalid", problem, {
      where: { file, line },
      next: `The first line must name columns: ${COLUMNS.join(",")}.`,
    });
  const [head, ...requests] = rowsIn(text, fault);
  const unknown = head?.cells.find((name) => !COLUMNS.some((column) => column === name));
  if (head === undefined || unknown !== undefined) throw fault(head?.line ?? 1, `There is no column "${unknown ?? ""}".`);
  const missing = NEEDED.find((column) => !head.cells.includes(column));
  if (missing !== undefined) throw fault(head.line, `The column "${missing}" is missing.`);
  if (requests.length === 0) throw fault(head.line, "The file contains no request.");
  return requests.map(({ line, cells }) => {
    if (cells.length !== head.cells.length) throw fault(line, `The line has ${cells.length} fields instead of ${head.cells.length}.`);
    const of = (column: Column) => cells[head.cells.indexOf(column)] || undefined;
    const needed = (column: Column) => {
      const value = of(column);
      if (value === undefined) throw fault(line, `The field "${column}" is empty.`);
      return value;
    };
    const [from, to, service] = [needed("from"), needed("to"), needed("service")];
    return {
      from,
      to,
      service,
      application: of("application") ?? "any",
      user: of("user"),
      fromZone: of("from-zone"),
      toZone: of("to-zone"),
    };
  });
}

function rowsIn(text: string, fault: (line: number | undefined, problem: string) => PlumblineError): readonly Row[] {
  const options = {
    bom: true,
    trim: true,
    comment: "#",
    comment_no_infix: true,
    skip_empty_lines: true,
    relax_column_count: true,
    info: true,
  };
  try {
    const rows = parse(text, options) as unknown as { readonly record: string[]; readonly info: { readonly lines: number } }[];
    return rows.map(({ record, info }) => ({ line: info.lines, cells: record }));
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    throw fault(typeof error.lines === "number" ? error.lines : undefined, `The file is no CSV: ${error.message}.`);
  }
}
