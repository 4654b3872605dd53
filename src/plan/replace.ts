import { childAt, childByTag, shapeAt } from "../core/tree/lookup.js";
import type { TreeNode } from "../core/tree/node.js";
import type { Path } from "../core/tree/path.js";
import type { Shape } from "../core/tree/shape.js";
import type { DesiredNode } from "../desired/model.js";
import { dependantsOf } from "./dependants.js";
import type { Change, Diff, Finding } from "./diff/change.js";
import { isRebuild } from "./interrupt.js";
import type { PlanInput, Refusal } from "./model.js";
import { markedEntry } from "./objects.js";
import type { Replacing } from "./replacing.js";

export interface Replaced {
  readonly diff: Diff;
  readonly refusals: readonly Refusal[];
  /** Objects that are deleted and recreated in steps, because others refer to them or will. */
  readonly replacing?: Replacing | undefined;
}

interface Fixed {
  /** The leaf or list that cannot be changed in place. */
  readonly tag: string;
  readonly entry: Path;
  readonly desired: DesiredNode;
  readonly live: TreeNode;
}

/**
 * Handles changes that are impossible in place (`Shape.immutable`). With `$replace: true` the entry around them is recreated, as one change
 * of the complete entry. Otherwise the plan is refused.
 */
export function replaceImmutable(
  diff: Diff,
  desired: DesiredNode,
  input: Pick<PlanInput, "candidate" | "shape" | "capabilities">,
): Replaced {
  const { candidate: live, shape } = input;
  const renamed = recreatedByName(diff, input);
  const fixed = new Map<string, Fixed>();
  for (const change of diff.changes) {
    const found = fixedIn(change, desired, live, shape);
    if (found !== undefined && !fixed.has(found.entry.toString())) fixed.set(found.entry.toString(), found);
  }
  if (fixed.size === 0) return { diff: withFindings(diff, renamed.findings), refusals: renamed.refusals };
  const replaced = [...fixed.values()].filter((each) => each.desired.handling?.replace === true);
  const refused = [...fixed.values()].filter((each) => each.desired.handling?.replace !== true);
  const deletes = ({ parent }: Path): string =>
    `deletes the object${parent !== undefined && shapeAt(parent, shape).holdsData === true ? " with all data on it" : ""}`;
  const refusals = refused.map(({ tag, entry, live: object, desired: wanted }) => ({
    guard: "replace",
    message: isDeclared(wanted, tag)
      ? `"${tag}" of "${entry.name}"${leafText(object, tag)} cannot be ${shapeAt(entry, shape).child(tag).grows === true ? "made smaller" : "changed after the object is created"}. $replace: true ${deletes(entry)} and recreates it${orRebuilt(wanted, shapeAt(entry, shape).child(tag))}.`
      : `"${entry.name}" has an undeclared part that cannot be removed (${tag}: ${textOf(object, tag)}). $replace: true ${deletes(entry)} and recreates it.`,
    path: entry,
    allow: undefined,
  }));
  const made = replaced.length === 0 ? diff : withReplacements(diff, replaced);
  const result = withFindings(made, renamed.findings);
  const held = [...renamed.refusals, ...refusals];
  if (input.capabilities.independentObjects !== true || replaced.length === 0) return { diff: result, refusals: held };
  return withDependants(result, outermostOf(replaced), held, desired, input);
}

/** Also recreates objects that refer to the recreated ones, or refuses the plan if it cannot. */
function withDependants(
  diff: Diff,
  replaced: readonly Fixed[],
  held: readonly Refusal[],
  desired: DesiredNode,
  input: Pick<PlanInput, "candidate" | "shape">,
): Replaced {
  const entries = replaced.map(({ entry }) => entry).filter((entry) => markedEntry(entry, input.shape)?.equals(entry));
  if (entries.length === 0) return { diff, refusals: held };
  const { dragged, detached, findings, refusals } = dependantsOf(entries, diff.changes, desired, input);
  if (refusals.length > 0) return { diff, refusals: [...held, ...refusals] };
  const kept = diff.changes.filter(({ path }) => !dragged.some(({ entry }) => entry.contains(path)));
  const recreated = dragged.map(({ entry, live, desired: after }): Change => ({ kind: "differs", path: entry, before: live, after }));
  const replacing = { entries: [...entries, ...dragged.map(({ entry }) => entry)], detached };
  return { diff: { ...withFindings(diff, findings), changes: [...kept, ...recreated] }, refusals: held, replacing };
}

function outermostOf(replaced: readonly Fixed[]): Fixed[] {
  const entries = new Set(replaced.map(({ entry }) => entry.toString()));
  return replaced.filter(({ entry }) => !isBelowAny(entry.parent, entries));
}

function withFindings(diff: Diff, more: readonly Finding[]): Diff {
  return { ...diff, findings: [...diff.findings, ...more] };
}

/**
 * Handles renames of independent objects that the platform cannot rename: the object is deleted with its content and another one is
 * created.
 */
function recreatedByName(
  { changes }: Diff,
  { shape, capabilities }: Pick<PlanInput, "shape" | "capabilities">,
): { readonly findings: readonly Finding[]; readonly refusals: readonly Refusal[] } {
  const findings: Finding[] = [];
  const refusals: Refusal[] = [];
  if (capabilities.independentObjects !== true) return { findings, refusals };
  for (const change of changes) {
    if (change.kind !== "renamed" || (capabilities.rename && shapeAt(change.path.parent ?? change.path, shape).fixedNames !== true))
      continue;
    const { path, from, after } = change;
    if (after.handling?.replace === true)
      findings.push({
        kind: "made-again",
        path,
        message: `"${from}" cannot be renamed. It is deleted and recreated with this name: its id changes and its content is lost.`,
        origin: after.origin,
        refuses: false,
      });
    else
      refusals.push({
        guard: "replace",
        message: `"${from}" cannot be renamed. $replace: true deletes it and creates it with its new name.`,
        path,
        allow: undefined,
      });
  }
  return { findings, refusals };
}

function orRebuilt({ handling }: DesiredNode, { rebuilt }: Shape): string {
  if (rebuilt !== true) return "";
  if (handling?.rebuild === true) return "; a rebuild gives another one, never the first";
  return "; $rebuild: true replaces it in place, and the content of the root disk is lost";
}

function leafText(object: TreeNode, tag: string): string {
  const text = textOf(object, tag);
  return text === "" ? "" : `, which is "${text}",`;
}

function textOf(object: TreeNode, tag: string): string {
  const node = childByTag(object, tag);
  return node?.text || (node?.children ?? []).map(({ name = "" }) => name).join(", ");
}

function isDeclared(wanted: DesiredNode, tag: string): boolean {
  return childByTag(wanted, tag) !== undefined;
}

function withReplacements(diff: Diff, replaced: readonly Fixed[]): Diff {
  const entries = new Set(replaced.map(({ entry }) => entry.toString()));
  const outermost = outermostOf(replaced);
  const changes: Change[] = diff.changes.filter(({ path }) => !isBelowAny(path, entries));
  for (const { entry, live, desired } of outermost) changes.push({ kind: "differs", path: entry, before: live, after: desired });
  const findings: Finding[] = outermost.map(({ entry, tag, desired, live }) => ({
    kind: "made-again",
    path: entry,
    message: `${isDeclared(desired, tag) ? `"${tag}" is not changed` : `"${tag}" cannot be taken away (${textOf(live, tag)})`} in place: the object is deleted and recreated. Its id changes and its content is lost.`,
    origin: desired.origin,
    refuses: false,
  }));
  return { ...diff, changes, findings: [...diff.findings, ...findings] };
}

function isBelowAny(path: Path | undefined, entries: ReadonlySet<string>): boolean {
  for (let at = path; at !== undefined; at = at.parent) if (entries.has(at.toString())) return true;
  return false;
}

/**
 * Returns the innermost live entry around the first step of `path` that is immutable. The same for a step that interrupts the object if the
 * document prefers `$replace`.
 */
function fixedIn(change: Change, desired: DesiredNode, live: TreeNode, shape: Shape): Fixed | undefined {
  let wanted: DesiredNode | undefined = desired;
  let there: TreeNode | undefined = live;
  let around: Omit<Fixed, "tag"> | undefined;
  for (const step of change.path.steps().slice(1)) {
    shape = shape.child(step.tag);
    const isRequested = shape.interrupts !== undefined && around?.desired.handling?.replace === true;
    const isFixed = shape.immutable === true && !isRebuild(change, around?.desired, shape);
    if (isFixed || isRequested || isSmaller(change, shape, step)) return around === undefined ? undefined : { ...around, tag: step.tag };
    wanted = wanted === undefined ? undefined : (childAt(wanted, step) as DesiredNode | undefined);
    there = there === undefined ? undefined : childAt(there, step);
    if (wanted === undefined || there === undefined) return undefined;
    if (step.name !== undefined) around = { entry: step, desired: wanted, live: there };
  }
  return undefined;
}

/** Returns whether a value that can only grow in place would shrink: a smaller number, or a list that loses entries. */
function isSmaller(change: Change, { grows, kind }: Shape, { depth }: Path): boolean {
  if (grows !== true) return false;
  if (kind === "list") return change.kind === "extra" && change.path.depth <= depth + 1;
  return change.kind === "differs" && Number(change.after.text) < Number(change.before.text);
}
