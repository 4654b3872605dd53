import { diffArrays } from "diff";
import type { ExistingDocument } from "../../import/existing.js";
import { parseYaml, writeYaml } from "../../import/yaml.js";

/**
 * Returns the text of a changed document. Unchanged lines keep their indentation, spacing and quotes. If the lines cannot be matched, the
 * complete document is reformatted.
 */
export function changedText(original: string, { document }: ExistingDocument): string {
  const after = writeYaml(document);
  const before = writeYaml(parseYaml(original));
  if (before === original) return after;
  const spliced = splice(original.split("\n"), before.split("\n"), after.split("\n"));
  return spliced !== undefined && sameMeaning(spliced, after) ? spliced : after;
}

/** Number of lines to search for a model of the indentation. */
const NEAR = 500;
/** Maximum number of differences for which lines are matched. */
const MOST = 2_000;

/**
 * Applies the differences between `plain` (the reformatted original) and `after` to `written` (the original). Matches the lines of `plain`
 * and `written` without white space. Returns undefined if a change touches a line without a match.
 */
function splice(written: readonly string[], plain: readonly string[], after: readonly string[]): string | undefined {
  const places = matches(plain, written);
  const difference = diffArrays([...plain], [...after], { maxEditLength: MOST });
  if (places === undefined || difference === undefined) return undefined;
  const lines: string[] = [];
  let at = 0;
  let done = 0;
  for (const { value, added, removed } of difference) {
    if (added) {
      const fitted = value.map((line) => indented(line, at, plain, written, places));
      if (fitted.includes(undefined)) return undefined;
      lines.push(...(fitted as string[]));
      continue;
    }
    const end = at + value.length;
    const until = end === plain.length ? written.length : places[end];
    if (until === undefined || until < done) return undefined;
    if (!removed) lines.push(...written.slice(done, until));
    done = until;
    at = end;
  }
  return lines.join("\n");
}

/** Returns for each line of `plain` the index of the matching line of `written`. */
function matches(plain: readonly string[], written: readonly string[]): (number | undefined)[] | undefined {
  const places: (number | undefined)[] = [];
  let there = 0;
  const key = (line: string) => line.replaceAll(/\s+/g, "");
  const difference = diffArrays(plain.map(key), written.map(key), { maxEditLength: MOST });
  if (difference === undefined) return undefined;
  for (const { value, added, removed } of difference) {
    if (added) there += value.length;
    else if (removed) places.push(...value.map(() => undefined));
    else places.push(...value.map(() => there++));
  }
  return places;
}

/** Returns a new line for position `at`, with the indentation of the closest line above on the same level. Undefined if there is none. */
function indented(
  line: string,
  at: number,
  plain: readonly string[],
  written: readonly string[],
  places: readonly (number | undefined)[],
): string | undefined {
  if (line.trim() === "") return line;
  const depth = depthOf(line);
  const isModel = (i: number) => plain[i]?.trim() !== "" && depthOf(plain[i] ?? "") === depth && places[i] !== undefined;
  let found: number | undefined;
  for (let i = at; found === undefined && i >= 0 && i > at - NEAR; i--) if (isModel(i)) found = i;
  const model = found === undefined ? undefined : written[places[found] ?? -1];
  return model === undefined ? undefined : " ".repeat(depthOf(model)) + line.trimStart();
}

function depthOf(line: string): number {
  return line.length - line.trimStart().length;
}

function sameMeaning(a: string, b: string): boolean {
  const document = parseYaml(a);
  return document.errors.length === 0 && JSON.stringify(document.toJS()) === JSON.stringify(parseYaml(b).toJS());
}
