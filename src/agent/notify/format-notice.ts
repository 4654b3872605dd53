import { age } from "../../report/format-duration.js";
import type { Notice } from "./notice.js";
import { formatMinute } from "./notice-draft.js";

/** Formats a notice as plain text: title, details, start, author and the command that shows more. */
export function plainText({ title, lines, since, by, look, at }: Notice): string {
  return [title, ...lines.map((line) => `  ${line}`), ...facts(since, by, at).map((fact) => `  ${fact}`), `  $ ${look}`].join("\n");
}

/** Formats `since 2026-01-05 12:00 UTC (2 h 3 m)` and `by alice`. */
export function facts(since: number | undefined, by: string | undefined, at: number): string[] {
  return [...(since === undefined ? [] : [`since ${formatMinute(since)} (${age(at - since)})`]), ...(by === undefined ? [] : [`by ${by}`])];
}

/** Returns one line for several notices: `edge differs from the repository, and 3 more`. */
export function subjectLine(notices: readonly Notice[]): string {
  const [first] = notices;
  if (first === undefined) return "";
  return notices.length === 1 ? first.title : `${first.title}, and ${notices.length - 1} more`;
}
