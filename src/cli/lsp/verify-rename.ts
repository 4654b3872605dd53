import type { PlumblineError } from "../../core/errors.js";
import type { Path } from "../../core/tree/path.js";
import { applied, type Edit } from "./name-edits.js";
import { NameIndex } from "./name-index.js";
import type { TokensOf } from "./subjects.js";
import type { Checked } from "./workspace.js";

/** Returns the texts of the files after the edits. */
export function applyEdits(edits: ReadonlyMap<string, readonly Edit[]>, tokensOf: TokensOf): ReadonlyMap<string, string> {
  return new Map([...edits].map(([file, each]) => [file, applied(tokensOf(file)?.text ?? "", each)]));
}

interface Renamed {
  /** Target, old path, new path. */
  readonly renamed: readonly (readonly [string, Path, Path])[];
  readonly from: string;
  readonly to: string;
}

/** Returns how the renamed documents differ in more than the name. Undefined if they mean the same. */
export async function unlikeAfter(
  before: Checked,
  indexes: ReadonlyMap<string, NameIndex>,
  after: Checked,
  renaming: Renamed,
): Promise<string | undefined> {
  const { from, to } = renaming;
  const known = new Set([...before.errors, ...before.warnings].map((error) => textOf(error, from, to)));
  const fresh = [...after.errors, ...after.warnings].find((error) => !known.has(textOf(error, from, to)));
  if (fresh !== undefined) return `With the name "${to}" there is a new problem: ${fresh.message} ${fresh.next ?? ""}`.trim();
  if (after.loaded === undefined) return `With the name "${to}" the documents do not load.`;
  const later = await NameIndex.ofAll(after.loaded);
  for (const [target, index] of indexes) {
    const paths = renaming.renamed.filter(([name]) => name === target);
    const change = (path: Path): string => paths.reduce((at, [, old, by]) => moved(at, old, by), path).toString();
    const wanted = countsOf(index, change, from, to);
    const found = countsOf(later.get(target), String, to, to);
    for (const name of new Set([...wanted.keys(), ...found.keys()]))
      if (wanted.get(name) !== found.get(name))
        return `In target "${target}", another object has the name "${to}": references to ${name} would change.`;
  }
  return undefined;
}

/** Lines move and names change, so a message is compared without its place and with the new name. */
function textOf({ code, message, where }: PlumblineError, from: string, to: string): string {
  return JSON.stringify([code, message.replaceAll(`"${from}"`, `"${to}"`).replace(/:\d+/g, ""), where.file]);
}

function moved(path: Path, from: Path, to: Path): Path {
  if (!from.contains(path)) return path;
  return path
    .steps()
    .slice(from.depth)
    .reduce(
      (at, step) =>
        step.name !== undefined
          ? at.entry(step.name, step.tag)
          : step.text !== undefined
            ? at.member(step.text, step.tag)
            : at.child(step.tag),
      to,
    );
}

/** Returns the number of references to each object, and to each name that no document declares. */
function countsOf(index: NameIndex | undefined, pathOf: (path: Path) => string, from: string, to: string): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const { definition, reference } of index?.uses ?? []) {
    const value = reference.value === from && definition !== undefined ? to : reference.value;
    const name = definition === undefined ? `the undeclared ${value}` : pathOf(definition.path);
    counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  return counts;
}
