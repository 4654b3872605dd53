import { formatWhere, PlumblineError } from "../core/errors.js";
import type { LoadedDesired } from "../desired/loaded.js";
import type { DesiredTarget } from "../desired/model.js";
import { nearest } from "../desired/nearest.js";
import { Problems } from "../desired/problems.js";
import { type UnknownName, unknownNames } from "../plan/unknown-names.js";
import type { TargetKinds } from "./target-kind.js";

const CODE = "name-undeclared";

/** Names for which a nearer one is looked for: with more of them the lists are not here at all. */
const MOST_HINTS = 200;

/** Names that one warning has room for. */
const MOST_NAMES = 20;

/**
 * Names in documents that no document of their target declares: errors where nothing else can stand in the lists that could hold them, else
 * warnings, since only the target can tell (docs/desired-state.md#names). Each name is told once a target, at its first place; those of lists
 * that are left to the target as a whole in one warning.
 */
export async function undeclaredNames({ targets, configuration, broken }: LoadedDesired, kinds: TargetKinds): Promise<Problems> {
  const problems = new Problems();
  for (const desired of targets.values()) {
    const kind = kinds.get(configuration.targets.get(desired.target)?.kind ?? "");
    const names = await kind?.names?.();
    if (kind === undefined || names === undefined || broken.has(desired.target)) continue;
    tell(eachOnce(unknownNames(desired, kind.shape, names)), desired, problems);
  }
  return problems;
}

function eachOnce(unknown: readonly UnknownName[]): UnknownName[] {
  const found = new Map<string, UnknownName>();
  for (const each of [...unknown].sort((a, b) => a.origin - b.origin)) {
    const key = JSON.stringify([each.reference.value, each.reference.kinds, each.isCertain]);
    if (!found.has(key)) found.set(key, each);
  }
  return [...found.values()];
}

function tell(unknown: readonly UnknownName[], desired: DesiredTarget, problems: Problems): void {
  const left = new Map<string, UnknownName[]>();
  for (const [index, each] of unknown.entries()) {
    const of = anyOf(each.reference.kinds);
    if (each.isCertain) problems.error(certain(each, of, desired));
    else if (each.candidates.length > 0 || each.elsewhere !== undefined) problems.warn(unsure(each, of, desired, index < MOST_HINTS));
    else left.set(of, [...(left.get(of) ?? []), each]);
  }
  for (const [of, names] of left) problems.warn(leftToTarget(names, of, desired));
}

function certain(unknown: UnknownName, of: string, { sources }: DesiredTarget): PlumblineError {
  const message = `There is no ${of} "${unknown.reference.value}": none is declared, and the lists that could hold it are exclusive.`;
  return new PlumblineError(CODE, message, { where: sources.locate(unknown.origin), next: nextOf(unknown, true) });
}

function unsure(unknown: UnknownName, of: string, { sources }: DesiredTarget, isHinting: boolean): PlumblineError {
  const message = `No ${of} "${unknown.reference.value}" is declared here: it must be on the device.`;
  return new PlumblineError(CODE, message, { where: sources.locate(unknown.origin), next: nextOf(unknown, isHinting) });
}

function nextOf({ reference, candidates, elsewhere }: UnknownName, isHinting: boolean): string {
  const near = isHinting ? nearest(reference.value, candidates) : undefined;
  if (near !== undefined) return `Did you mean "${near}"?`;
  return elsewhere === undefined ? "Declare it, or correct the name." : `It is declared at ${elsewhere.path}, which is not seen from here.`;
}

/** Documents declare nothing of the kind: that others keep it is the rule and no slip. */
function leftToTarget(unknown: readonly UnknownName[], of: string, { sources }: DesiredTarget): PlumblineError {
  const told = unknown
    .slice(0, MOST_NAMES)
    .map(({ reference, origin }) => `"${reference.value}" (${formatWhere(sources.locate(origin) ?? {})})`);
  const more = unknown.length > told.length ? ` and ${unknown.length - told.length} more` : "";
  const message = `No ${of} is declared here. On the device there must be ${told.join(", ")}${more}.`;
  const next = "Correct what is misspelt; a plan looks for the others on the device.";
  return new PlumblineError(CODE, message, { where: sources.locate(unknown[0]?.origin ?? -1), next });
}

/** `address, address-group or region`. */
function anyOf(kinds: readonly string[]): string {
  return kinds.length < 2 ? kinds.join("") : `${kinds.slice(0, -1).join(", ")} or ${kinds.at(-1)}`;
}
