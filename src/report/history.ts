import { printJson } from "../core/json/print.js";
import { joinLines, printable } from "../core/printable.js";
import type { HistoryEntry, HistoryFormat, HistoryPage } from "../outcome/history.js";
import { formatTime } from "../plan/diff/change.js";
import { csvLine } from "./csv.js";
import { age } from "./format-duration.js";
import type { Colour, Paint } from "./style.js";

/** Longer values shift the rest of their row to the right and are never cut. */
const MAX_WIDTH = 32;
/** Maximum number of characters of a value before and after a change. */
const VALUE = 100;

const COLOURS: Readonly<Record<string, Colour>> = {
  "in-sync": "green",
  applied: "green",
  committed: "green",
  accepted: "green",
  pending: "yellow",
  missing: "yellow",
  extra: "yellow",
  differs: "yellow",
  order: "yellow",
  renamed: "yellow",
  retry: "yellow",
  interrupted: "yellow",
  refused: "red",
  failed: "red",
  partial: "red",
  held: "red",
  skipped: "dim",
};

export function renderHistory(format: HistoryFormat, page: HistoryPage, paint: Paint, now: number): string {
  switch (format) {
    case "text":
      return textOf(page, paint, now);
    case "json":
      return `${printJson({ format: 1, entries: page.entries.map(viewOf), next: page.next }, 2)}\n`;
    case "csv":
      return csvLine(COLUMNS) + page.entries.map((entry) => csvLine(COLUMNS.map((column) => cellOf(viewOf(entry)[column])))).join("");
  }
}

const COLUMNS = ["id", "at", "ended", "seen", "kind", "target", "pass", "path", "author", "outcome", "summary"] as const;

/** Returns the row with times as ISO 8601. */
function viewOf(entry: HistoryEntry) {
  return { ...entry, at: iso(entry.at), ended: iso(entry.ended), seen: iso(entry.seen) };
}

function cellOf(value: string | number | undefined): string {
  return value === undefined ? "" : String(value);
}

function iso(time: number | undefined): string | undefined {
  return time === undefined ? undefined : new Date(time).toISOString();
}

/** `2026-11-20 08:00:00Z` */
function moment(time: number): string {
  return `${new Date(time).toISOString().slice(0, 19).replace("T", " ")}Z`;
}

function textOf({ entries, next }: HistoryPage, paint: Paint, now: number): string {
  if (entries.length === 0) return `${paint("dim", "nothing in the history matches")}\n`;
  const rows = entries.map((entry) => [
    moment(entry.at),
    printable(entry.target ?? ""),
    entry.kind,
    printable(entry.outcome ?? (entry.kind === "pass" ? "running" : "")),
    printable(entry.author ?? ""),
  ]);
  const widths = [0, 1, 2, 3, 4].map((column) => Math.min(MAX_WIDTH, Math.max(...rows.map((row) => row[column]?.length ?? 0))));
  const lines = entries.flatMap((entry, i) => {
    const cells = (rows[i] ?? []).map((cell, column) => paintCell(column, cell, cell.padEnd(widths[column] ?? 0), paint));
    const shown = cells.filter((_, column) => (widths[column] ?? 0) > 0);
    return [[...shown, tellings(entry, paint, now)].join("  ").trimEnd(), ...valueLines(entry, paint)];
  });
  if (next !== undefined) lines.push(paint("dim", `older ones: --cursor ${next}`));
  return joinLines(lines);
}

function paintCell(column: number, cell: string, padded: string, paint: Paint): string {
  if (column === 0) return paint("dim", padded);
  const colour = column === 3 ? COLOURS[cell] : undefined;
  return colour === undefined ? padded : paint(colour, padded);
}

/** Describes the event: its path, its summary and its duration. */
function tellings(entry: HistoryEntry, paint: Paint, now: number): string {
  const path = entry.path === undefined ? "" : printable(entry.path);
  switch (entry.kind) {
    case "drift":
      return `${path}  ${paint("dim", formatDuration(entry, now))}`;
    case "pass": {
      const took = entry.ended === undefined ? `since ${age(now - entry.at)}` : seconds(entry.ended - entry.at);
      return `${printable(entry.summary)}  ${paint("dim", took)}`;
    }
    case "pause":
      return `${printable(entry.summary)}  ${paint("dim", untilOf(entry))}`;
    default:
      return path === "" ? printable(entry.summary) : `${path}  ${paint("dim", printable(entry.summary))}`;
  }
}

function formatDuration(entry: HistoryEntry, now: number): string {
  const changed = typeof entry.detail.authorTime === "string" ? `, changed${printable(formatTime(entry.detail.authorTime))}` : "";
  if (entry.ended !== undefined) return `resolved after ${age(entry.ended - entry.at)}${changed}`;
  const seen = entry.seen === undefined ? "" : `, last seen ${age(now - entry.seen)} ago`;
  return `open for ${age(now - entry.at)}${seen}${changed}`;
}

function untilOf({ detail }: HistoryEntry): string {
  return typeof detail.until === "number" ? `until ${moment(detail.until)}` : "until resumed";
}

function seconds(milliseconds: number): string {
  return `${(milliseconds / 1000).toFixed(1)} s`;
}

/** Returns short values of a drift. JSON has the complete values. */
function valueLines(entry: HistoryEntry, paint: Paint): string[] {
  if (entry.kind !== "drift") return [];
  const { before, after } = (entry.detail.view ?? {}) as { before?: unknown; after?: unknown };
  const line = (mark: "-" | "+", colour: Colour, value: unknown) => {
    if (typeof value !== "string" || value.trim() === "") return [];
    const text = printable(value.replaceAll(/\s*\n\s*/g, " ").trim());
    return [`    ${paint(colour, `${mark} ${text.length <= VALUE ? text : `${text.slice(0, VALUE)}…`}`)}`];
  };
  return [...line("-", "red", before), ...line("+", "green", after)];
}
