import type { ArtifactVerdict } from "../outcome/artifact-verdict.js";
import type { TargetOutcome, WatchReport } from "../outcome/outcome.js";
import { count } from "./format-counts.js";
import type { Colour, Paint } from "./style.js";

const COLOURS: Readonly<Record<ArtifactVerdict["standing"], Colour>> = { good: "green", open: "yellow", unavailable: "yellow", bad: "red" };

/** Returns the verdicts of files and the result of a watched commit, for a terminal. */
export function checkLines({ verdicts, watch }: TargetOutcome, paint: Paint): string[] {
  return [...verdictLines(verdicts ?? [], paint), ...(watch === undefined ? [] : watchLines(watch, paint))];
}

function verdictLines(verdicts: readonly ArtifactVerdict[], paint: Paint): string[] {
  if (verdicts.length === 0) return [];
  const width = Math.max(...verdicts.map(({ word }) => word.length));
  const rows = verdicts.map((verdict) => `  ${paint(COLOURS[verdict.standing], verdict.word.padEnd(width))}  ${fileOf(verdict)}`);
  return ["", `  ${paint("bold", "files")}`, ...rows];
}

/** Returns the decision about a watched commit as text. The report keeps its former values. */
function decisionText({ decision }: WatchReport): string {
  if (decision === "taken back") return "rolled back";
  return decision === "stands" ? "not rolled back" : decision;
}

function watchLines(watch: WatchReport, paint: Paint): string[] {
  const lines = [
    "",
    `  ${paint(watch.decision === "confirmed" ? "green" : "red", `commit ${decisionText(watch)}`)}  ${countWords(watch)}`.trimEnd(),
  ];
  for (const sample of watch.samples) lines.push(`    ${sample}`);
  for (const { xpath, why } of watch.left) lines.push(`    ${paint("yellow", "stays")} ${xpath}: ${why}`);
  return lines;
}

/** Returns `0 of 5 traffic records (2 in as long a time before)`. */
function countWords({ counts }: WatchReport): string {
  return counts
    .map(({ type, found, threshold, before }) => {
      const words = `${found} of ${count(threshold, `${type} record`)}`;
      return before === undefined ? words : `${words} (${before} in as long a time before)`;
    })
    .join(", ");
}

function fileOf({ hash, image, why }: ArtifactVerdict): string {
  const name = [image === undefined ? "" : `image ${image}`, hash ?? ""].filter((part) => part !== "").join(" ");
  return why === undefined ? name : `${name} (${why})`;
}

/** Returns the same as lines of plain text for a reviewer. */
export function checkNotes({ verdicts = [], watch }: TargetOutcome): { readonly what: string; readonly text: string }[] {
  const files = verdicts.map((verdict) => ({ what: "file", text: `${fileOf(verdict)} is ${verdict.word}` }));
  if (watch === undefined) return files;
  const stays = watch.left.map(({ xpath, why }) => ({ what: "stays", text: `${xpath}: ${why}` }));
  const decided = {
    what: `commit ${decisionText(watch)}`,
    text: [watch.reason ?? "", countWords(watch)].filter((part) => part !== "").join("; "),
  };
  return [...files, decided, ...watch.samples.map((text) => ({ what: "record", text })), ...stays];
}
