import { PlumblineError, type Where } from "../core/errors.js";
import type { LoadedDesired } from "../desired/loaded.js";
import type { DesiredTarget } from "../desired/model.js";
import { Problems } from "../desired/problems.js";
import { nearest } from "../desired/suggest.js";
import { anyOf, type UnknownName, unknownNames } from "../plan/unknown-names.js";
import type { TargetKinds } from "./target-kind.js";

export const NAME_UNDECLARED = "name-undeclared";

/** Names for which a nearer one is looked for: with more of them the lists are not here at all. */
const MOST_HINTS = 200;

/** A name of an object whose kind no document of the target declares: only the target knows whether it has it. */
export interface UndeclaredName {
  readonly target: string;
  /** Any of these: `zone`, or `address, address-group or region`. */
  readonly kind: string;
  readonly name: string;
  readonly at: Where;
}

/** Messages about undeclared names, and the names without a message. */
export interface NamesFound {
  readonly errors: readonly PlumblineError[];
  readonly warnings: readonly PlumblineError[];
  readonly left: readonly UndeclaredName[];
}

/**
 * Finds names that no document of the target declares. An error if the lists that could contain the name are exclusive. Otherwise a
 * warning, because only the target knows (docs/desired-state.md#names). Each name is reported once per target, at its first place.
 * No warning if the documents declare no object of this kind: then the objects are managed elsewhere.
 */
export async function undeclaredNames({ targets, configuration, broken }: LoadedDesired, kinds: TargetKinds): Promise<NamesFound> {
  const problems = new Problems();
  const left: UndeclaredName[] = [];
  for (const desired of targets.values()) {
    const kind = kinds.get(configuration.targets.get(desired.target)?.kind ?? "");
    const names = await kind?.names?.();
    if (kind === undefined || names === undefined || broken.has(desired.target)) continue;
    left.push(...report(eachOnce(unknownNames(desired, kind.shape, names)), desired, problems));
  }
  return { errors: problems.errors, warnings: problems.warnings, left };
}

function eachOnce(unknown: readonly UnknownName[]): UnknownName[] {
  const found = new Map<string, UnknownName>();
  for (const each of [...unknown].sort((a, b) => a.origin - b.origin)) {
    const key = JSON.stringify([each.reference.value, each.reference.kinds, each.isCertain]);
    if (!found.has(key)) found.set(key, each);
  }
  return [...found.values()];
}

/** Adds the errors and warnings. Returns the other names. */
function report(unknown: readonly UnknownName[], desired: DesiredTarget, problems: Problems): UndeclaredName[] {
  const left: UndeclaredName[] = [];
  for (const [index, each] of unknown.entries()) {
    const kind = anyOf(each.reference.kinds);
    if (each.isCertain) problems.error(certain(each, kind, desired));
    else if (each.candidates.length > 0 || each.elsewhere !== undefined) problems.warn(unsure(each, kind, desired, index < MOST_HINTS));
    else left.push({ target: desired.target, kind, name: each.reference.value, at: desired.sources.locate(each.origin) ?? {} });
  }
  return left;
}

function certain(unknown: UnknownName, of: string, { sources }: DesiredTarget): PlumblineError {
  const message = `There is no ${of} "${unknown.reference.value}": no document declares one, and the lists that could contain it are exclusive.`;
  return new PlumblineError(NAME_UNDECLARED, message, { where: sources.locate(unknown.origin), next: nextOf(unknown, true) });
}

function unsure(unknown: UnknownName, of: string, { sources }: DesiredTarget, isHinting: boolean): PlumblineError {
  const message = `No ${of} "${unknown.reference.value}" is declared here: it must be on the device.`;
  return new PlumblineError(NAME_UNDECLARED, message, { where: sources.locate(unknown.origin), next: nextOf(unknown, isHinting) });
}

function nextOf({ reference, candidates, elsewhere }: UnknownName, isHinting: boolean): string {
  const near = isHinting ? nearest(reference.value, candidates) : undefined;
  if (near !== undefined) return `Did you mean "${near}"?`;
  return elsewhere === undefined
    ? "Declare it, or correct the name."
    : `It is declared in a scope that this document cannot use: ${elsewhere.path}.`;
}
