import { printJson } from "../../core/json/print.js";
import { joinLines, printable } from "../../core/printable.js";
import type { LogRecord } from "../../reachability/policy-target.js";
import { csvLine } from "../../report/csv.js";
import type { Paint } from "../../report/style.js";
import type { LogFormat } from "../choices.js";
import { usualColumns } from "./columns.js";

/** Converts records to text as they arrive. */
export interface LogPrinter {
  print(records: readonly LogRecord[]): string;
  /** Returns the end of the output. */
  end(): string;
}

export interface PrinterOptions {
  readonly type: string;
  readonly format: LogFormat;
  /** Undefined for the default columns of the type, or for all fields in JSON. */
  readonly columns: readonly string[] | undefined;
  /** True if the number of records is unlimited: JSON is then one object on each line instead of one list. */
  readonly endless: boolean;
  readonly paint: Paint;
}

export function printerFor(options: PrinterOptions): LogPrinter {
  switch (options.format) {
    case "table":
      return tablePrinter(options);
    case "csv":
      return csvPrinter(options);
    case "json":
      return options.endless ? jsonLinesPrinter(options) : jsonPrinter(options);
  }
}

/** Longer values shift the rest of their row to the right. They are never cut, because logs are evidence. */
const MAX_WIDTH = 40;

/** Columns and widths come from the first records, so that later records are aligned with them. */
function tablePrinter({ type, columns: chosen, paint }: PrinterOptions): LogPrinter {
  let columns: readonly string[] | undefined;
  let widths: readonly number[] = [];
  const row = (cells: readonly string[]): string =>
    cells
      .map((cell, i) => cell.padEnd(widths[i] ?? 0))
      .join("  ")
      .trimEnd();
  return {
    print: (records) => {
      if (records.length === 0) return "";
      const lines: string[] = [];
      const cellsOf = (record: LogRecord): string[] => (columns ?? []).map((column) => printable(record.get(column) ?? ""));
      if (columns === undefined) {
        columns = chosen ?? usualColumns(type, records);
        widths = records.map(cellsOf).reduce(
          (all, cells) => all.map((width, i) => Math.max(width, Math.min(MAX_WIDTH, cells[i]?.length ?? 0))),
          columns.map((column) => column.length),
        );
        lines.push(paint("bold", row(columns)));
      }
      lines.push(...records.map((record) => row(cellsOf(record))));
      return joinLines(lines);
    },
    end: () => "",
  };
}

function csvPrinter({ type, columns: chosen }: PrinterOptions): LogPrinter {
  const columns = chosen ?? usualColumns(type, []);
  let begun = false;
  const heading = (): string => {
    if (begun) return "";
    begun = true;
    return csvLine(columns);
  };
  return {
    print: (records) => heading() + records.map((record) => csvLine(columns.map((column) => record.get(column) ?? ""))).join(""),
    end: heading,
  };
}

function jsonPrinter({ columns }: PrinterOptions): LogPrinter {
  let before = "[";
  return {
    print: (records) =>
      records
        .map((record) => {
          const text = `${before}\n  ${objectOf(record, columns)}`;
          before = ",";
          return text;
        })
        .join(""),
    end: () => (before === "[" ? "[]\n" : "\n]\n"),
  };
}

function jsonLinesPrinter({ columns }: PrinterOptions): LogPrinter {
  return { print: (records) => records.map((record) => `${objectOf(record, columns)}\n`).join(""), end: () => "" };
}

function objectOf(record: LogRecord, columns: readonly string[] | undefined): string {
  const fields = columns === undefined ? [...record] : columns.map((column): [string, string] => [column, record.get(column) ?? ""]);
  return printJson(Object.fromEntries(fields));
}
