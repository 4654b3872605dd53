import { printJson } from "../core/json/print.js";
import { joinLines, printable } from "../core/printable.js";
import { type Meaning, meaningOf, type VerdictRating } from "../outcome/verdict-meaning.js";
import { csvLine } from "../report/csv.js";
import type { Colour, Paint } from "../report/style.js";
import type { Subject } from "../verdict/inputs.js";
import type { FileVerdict, LookUp } from "../verdict/look-up.js";
import type { VerdictFormat } from "./choices.js";

/** One row for each requested file, in order. */
export interface VerdictRow extends Subject {
  readonly found: FileVerdict;
  readonly meaning: Meaning;
}

export function rowsOf(subjects: readonly Subject[], { verdicts }: LookUp): VerdictRow[] {
  return subjects.flatMap((subject) => {
    const found = verdicts.get(subject.hash);
    return found === undefined ? [] : [{ ...subject, found, meaning: meaningOf(found.verdict) }];
  });
}

/** Returns 3 if a file is bad, 2 if a file is not known to be good, and 0 otherwise. */
export function exitCodeOf(rows: readonly VerdictRow[]): 0 | 2 | 3 {
  if (rows.some(({ meaning }) => meaning.standing === "bad")) return 3;
  return rows.some(({ meaning }) => meaning.standing === "open") ? 2 : 0;
}

/** Further numbers of a report. `left` is the rest of the daily quota. */
export interface Facts {
  readonly requests: number;
  readonly left: number;
}

export function render(rows: readonly VerdictRow[], facts: Facts, format: VerdictFormat, paint: Paint): string {
  switch (format) {
    case "text":
      return renderText(rows, facts, paint);
    case "json":
      return renderJson(rows, facts);
    case "csv":
      return renderCsv(rows);
  }
}

const COLOUR: Readonly<Record<VerdictRating, Colour>> = { good: "green", open: "yellow", bad: "red" };
const ORDER: readonly VerdictRating[] = ["good", "open", "bad"];

/** The worst verdicts come last, next to the summary, where a long report ends on the screen. */
function renderText(rows: readonly VerdictRow[], { requests, left }: Facts, paint: Paint): string {
  const counts = [...countWords(rows)];
  const width = Math.max(...counts.map(([word]) => word.length));
  const lines = ORDER.flatMap((rating) => rows.filter(({ meaning }) => meaning.standing === rating)).map(({ hash, name, meaning }) => {
    const named = name === "" ? "" : `  ${printable(name)}`;
    return `${paint(COLOUR[meaning.standing], meaning.word.padEnd(width))}  ${hash}${named}`;
  });
  const words = counts.map(([word, count]) => `${count.toLocaleString("en-US")} ${word}`).join(" · ");
  const requestsText = requests === 0 ? "nothing asked" : requests === 1 ? "1 request" : `${requests} requests`;
  return joinLines([...lines, "", `${words}  ${paint("dim", `${requestsText} · ${left.toLocaleString("en-US")} left today`)}`]);
}

function renderJson(rows: readonly VerdictRow[], { requests, left }: Facts): string {
  const of = (rating: VerdictRating): number => rows.filter(({ meaning }) => meaning.standing === rating).length;
  const summary = {
    asked: rows.length,
    distinct: new Set(rows.map(({ hash }) => hash)).size,
    good: of("good"),
    open: of("open"),
    bad: of("bad"),
    requests,
    left,
  };
  const files = rows.map(({ hash, name, found, meaning }) => ({
    hash,
    ...(name === "" ? {} : { name }),
    verdict: found.verdict ?? null,
    meaning: meaning.word,
    standing: meaning.standing,
    source: found.source,
    asked: new Date(found.asked).toISOString(),
  }));
  return `${printJson({ summary, files }, 2)}\n`;
}

function renderCsv(rows: readonly VerdictRow[]): string {
  const lines = rows.map(({ hash, name, found, meaning }) =>
    csvLine([
      hash,
      name,
      found.verdict?.toString() ?? "",
      meaning.word,
      meaning.standing,
      found.source,
      new Date(found.asked).toISOString(),
    ]),
  );
  return csvLine(["hash", "name", "verdict", "meaning", "standing", "source", "asked"]) + lines.join("");
}

/** Returns the number of files for each verdict, the best first. */
function countWords(rows: readonly VerdictRow[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  const sorted = [...rows].sort((a, b) => ORDER.indexOf(a.meaning.standing) - ORDER.indexOf(b.meaning.standing));
  for (const { meaning } of sorted) counts.set(meaning.word, (counts.get(meaning.word) ?? 0) + 1);
  return counts;
}
