import { cutText } from "../core/cut-text.js";
import type { Command, TargetOutcome } from "../outcome/outcome.js";
import { count } from "./format-counts.js";
import type { Paint } from "./style.js";

/** Maximum number of characters for the entries in a comment. */
const ROOM = 10_000;
/** Maximum number of targets whose entries a comment lists. */
const MOST_FOLDS = 20;

/** Returns `1 unmanaged entry` or `2 unmanaged entries`. */
export function formatUnmanaged(all: number): string {
  return all === 1 ? "1 unmanaged entry" : `${all} unmanaged entries`;
}

/** Returns the number of unmanaged entries, or all of them for `--unmanaged`. Only drift prints the number. */
export function unmanagedLines({ unmanaged }: TargetOutcome, command: Command, paint: Paint): string[] {
  if (unmanaged === undefined || unmanaged.count === 0) return [];
  const { entries } = unmanaged;
  if (entries !== undefined) return ["", `  ${paint("bold", formatUnmanaged(unmanaged.count))}`, ...entries.map((path) => `    ${path}`)];
  return command === "drift" ? [`  ${paint("dim", `${formatUnmanaged(unmanaged.count)} (list them with --unmanaged)`)}`] : [];
}

/** Returns the same in Markdown, in one line or one fold for each target. Empty without unmanaged entries. */
export function unmanagedMarkdown(command: Command, outcomes: readonly TargetOutcome[]): string {
  const found = outcomes.filter(({ unmanaged }) => (unmanaged?.count ?? 0) > 0);
  const isListed = found.some(({ unmanaged }) => unmanaged?.entries !== undefined);
  if (found.length === 0 || (command !== "drift" && !isListed)) return "";
  if (!isListed) {
    const all = found.reduce((sum, { unmanaged }) => sum + (unmanaged?.count ?? 0), 0);
    return `${formatUnmanaged(all)} on ${count(found.length, "target")} (list them with \`--unmanaged\`).`;
  }
  let left = ROOM;
  const folds = found.map(({ target, unmanaged }) => {
    const rows = (unmanaged?.entries ?? []).map((path) => `- \`${cutText(path.toString()).replaceAll("`", "'")}\``);
    const shown = rows.filter((row) => {
      left -= row.length + 1;
      return left > 0;
    });
    const more = rows.length - shown.length;
    const rest = more === 0 ? [] : [`- … and ${more} more (\`--format json\` has them all)`];
    return [`<details><summary>${target}: ${formatUnmanaged(unmanaged?.count ?? 0)}</summary>\n`, ...shown, ...rest, "\n</details>"].join(
      "\n",
    );
  });
  const fitting = folds.slice(0, MOST_FOLDS);
  return [...fitting, ...(folds.length > MOST_FOLDS ? [`… and ${count(folds.length - MOST_FOLDS, "more target")}`] : [])].join("\n");
}
