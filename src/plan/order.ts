import type { Operation } from "../core/operation.js";
import { find, pathOf } from "../core/tree/lookup.js";
import type { TreeNode } from "../core/tree/node.js";
import type { Path } from "../core/tree/path.js";
import type { Shape } from "../core/tree/shape.js";
import type { DesiredNode } from "../desired/model.js";
import { type Atom, type Piece, soleOperation } from "./atom.js";
import type { Dangling, LiveNames } from "./constraints.js";
import type { Change } from "./diff/change.js";
import { EffectFinder } from "./effect-finder.js";
import type { Effects } from "./effects.js";
import type { Fragment } from "./fragment.js";
import { moveAtoms } from "./lists.js";
import type { Phase, PlannedOperation } from "./model.js";
import { type Definition, Scopes } from "./namespace.js";
import { nestedReferences, type ReferenceIndex, survey } from "./reference-index.js";
import { renameSteps } from "./rename-steps.js";
import { type Renames, splitRenames, withName, withRenames } from "./renames.js";
import type { Rebuild } from "./reorder.js";
import { type Replacing, type ReplacingAtoms, replacingAtoms } from "./replacing.js";
import { sequence } from "./sequence.js";
import { joinPieces } from "./split-set.js";
import { temporaryNames } from "./temporary-names.js";
import { type UnsolvedCycle, unsolvedCycle } from "./unsolved-cycle.js";
import { oneWriteAnObject } from "./whole-objects.js";

export interface OrderInput {
  readonly fragments: readonly Fragment[];
  readonly changes: readonly Change[];
  /** Root elements. */
  readonly desired: DesiredNode;
  readonly live: TreeNode;
  readonly shape: Shape;
  /** False if the platform cannot move entries; then `rebuilds` put lists into order. */
  readonly move: boolean;
  /** References still resolve after a rename; the live tree already shows the new name (`followRenames`). */
  readonly renameKeepsReferences?: boolean | undefined;
  /** Writes to parts of one object are merged into one. */
  readonly completeObjectWrites?: boolean | undefined;
  /** Objects that are recreated together with the objects that refer to them. */
  readonly replacing?: Replacing | undefined;
  readonly rebuilds?: readonly Rebuild[] | undefined;
  /** Scopes that also see the names of another scope: XPath of a device group to the XPath of its parent group. */
  readonly scopeParents?: ReadonlyMap<string, string> | undefined;
}

export interface Ordered {
  readonly operations: readonly PlannedOperation[];
  /** References that do not resolve after the plan, because it deletes or renames their object. */
  readonly dangling: readonly Dangling[];
  /** Match lists that would be empty. */
  readonly emptied: readonly Path[];
  readonly knots: readonly UnsolvedCycle[];
}

/**
 * Orders the chosen writes so that after each step every reference resolves and no match list is empty (docs/contributing/plan.md#order): renames,
 * creates by depth of reference, updates, moves, deletes in reverse. constraints.ts lists the rules. Linear in the trees and n log n in the
 * writes, except for cycles, which need division.
 */
export function orderFragments(input: OrderInput): Ordered {
  if (input.fragments.length === 0 && input.changes.length === 0) return { operations: [], dangling: [], emptied: [], knots: [] };
  const scopes = new Scopes(input.scopeParents);
  const renames = splitRenames(input.fragments, input.live, input.shape, scopes, input.renameKeepsReferences === true);
  const base = withRenames(input.live, renames.inPlace, false);
  const view = withRenames(base, renames.copied, true);
  const finder = new EffectFinder(view, input.shape, scopes);
  const { away, others } = replacingSteps(input, base, scopes);
  const each = [...atomsOf(input, renames, finder, new EffectFinder(base, input.shape, scopes)), ...others];
  const atoms = [...(input.completeObjectWrites === true ? oneWriteAnObject(each, input.shape, finder) : each), ...away];
  const live = liveNames(atoms, renames.renamed, base, input.shape, scopes);
  const temporaryName = temporaryNames(base);
  const ordered = sequence(atoms, live, finder, { temporaryName, canMove: input.move, done: new Set() });
  const knots = ordered.knots.map((knot) => unsolvedCycle(knot, atoms));
  const placed = input.move ? placeMoves(ordered.atoms, moveAtoms(input.changes, ordered.atoms, input.desired, finder)) : ordered.atoms;
  const renamed = renamesInOrder(renames.fragments, temporaryName);
  return { operations: [...renamed, ...join(placed)], dangling: ordered.dangling, emptied: emptiedLists(atoms), knots };
}

function renamesInOrder(fragments: readonly Fragment[], temporaryName: () => string): PlannedOperation[] {
  const renames = fragments.flatMap(({ operation, changes }) =>
    operation.action === "rename" ? [{ at: operation.at, newName: operation.newName, changes }] : [],
  );
  return renameSteps(renames, temporaryName).map(({ at, newName, of }) => planned({ action: "rename", at, newName }, "rename", of.changes));
}

function replacingSteps({ fragments, replacing, desired, shape }: OrderInput, live: TreeNode, scopes: Scopes): ReplacingAtoms {
  if (replacing === undefined) return { away: [], others: [] };
  return replacingAtoms(
    fragments.filter((fragment) => isReplacing(fragment, replacing)),
    replacing,
    { live, desired, shape, scopes },
  );
}

function isReplacing({ operation }: Fragment, replacing: Replacing | undefined): boolean {
  return operation.action === "edit" && replacing?.entries.some((entry) => entry.equals(operation.at)) === true;
}

function atomsOf(input: OrderInput, { copied }: Renames, finder: EffectFinder, base: EffectFinder): Atom[] {
  const atoms: Atom[] = [];
  for (const { at, newName, changes } of copied) {
    const node = find(input.live, at);
    if (node === undefined || at.parent === undefined) continue;
    const create = { action: "set" as const, at: at.parent, element: withName(node, newName) };
    const remove = { action: "delete" as const, at };
    atoms.push({ operations: [create], phase: "create", changes, effects: base.of([create]), fragment: -1, token: {}, divided: true });
    atoms.push({ operations: [remove], phase: "delete", changes, effects: base.of([remove]), fragment: -1, divided: true });
  }
  const copies = new Map(atoms.map((atom) => [createdPath(atom), atom]));
  for (const [index, fragment] of input.fragments.entries()) {
    const { operation } = fragment;
    if (operation.action === "rename" || isReplacing(fragment, input.replacing)) continue;
    const copy = copies.size === 0 ? undefined : copyAbove(operation.at, copies);
    const after = copy?.token === undefined ? undefined : [copy.token];
    atoms.push({
      operations: [operation],
      phase: phaseOf(fragment),
      changes: fragment.changes,
      effects: finder.of([operation]),
      fragment: index,
      after,
    });
  }
  for (const { operations, changes } of input.rebuilds ?? [])
    atoms.push({
      operations,
      phase: "move",
      changes,
      effects: rebuildEffects(operations, finder),
      fragment: -1,
      rewrites: rewrittenPaths(operations),
      divided: true,
    });
  return atoms;
}

function rewrittenPaths(operations: readonly Operation[]): Path[] {
  return operations.filter(({ action }) => action === "delete").map(({ at }) => at);
}

/** The deletes and the final `set` together replace old entries by new ones. */
function rebuildEffects(operations: readonly Operation[], finder: EffectFinder): Effects {
  const set = operations.at(-1);
  if (set?.action !== "set") return finder.of(operations);
  const list = pathOf(set.at, set.element);
  return finder.of(
    set.element.children.map((entry): Operation => {
      const at = pathOf(list, entry);
      return finder.live(at) === undefined ? { action: "set", at: list, element: entry } : { action: "edit", at, element: entry };
    }),
  );
}

function createdPath({ operations: [operation] }: Atom): string {
  return operation?.action === "set" ? pathOf(operation.at, operation.element).toString() : "";
}

function copyAbove(path: Path, copies: ReadonlyMap<string, Atom>): Atom | undefined {
  for (let at: Path | undefined = path; at !== undefined; at = at.parent) {
    const copy = copies.get(at.toString());
    if (copy !== undefined) return copy;
  }
  return undefined;
}

/** Deleting a member or a leaf is part of an update. Deleting an entry or more happens at the end. */
function phaseOf({ kind, operation }: Fragment): Phase {
  if (operation.action !== "delete") return kind;
  if (operation.at.name !== undefined) return "delete";
  return operation.at.text !== undefined || kind === "update" ? "update" : "delete";
}

/** Searches the live tree for names that objects lose. Skips the search if no object loses its name. */
function liveNames(atoms: readonly Atom[], renamed: readonly Definition[], base: TreeNode, shape: Shape, scopes: Scopes): LiveNames {
  const lost = new Set(renamed.map((definition) => definition.name));
  for (const { effects } of atoms) for (const definition of effects.removes) lost.add(definition.name);
  const found: ReferenceIndex = lost.size === 0 ? { definitions: [], references: [] } : survey(base, shape, scopes, lost);
  return { survey: found, renamed, nested: () => nestedReferences(base, shape, scopes) };
}

/** Returns match lists that lose their last member and get no other one. A list that is deleted completely counts as absent, not empty. */
function emptiedLists(atoms: readonly Atom[]): Path[] {
  const sites = new Map<string, { readonly path: Path; left: number }>();
  for (const { effects } of atoms) {
    for (const { site, path, live, added, dropped, matches } of effects.lists) {
      if (!matches) continue;
      const known = sites.get(site) ?? { path, left: live };
      sites.set(site, known);
      known.left += added - dropped;
    }
  }
  return [...sites.values()].filter(({ left }) => left <= 0).map(({ path }) => path);
}

/** Puts moves after all creates and before the deletes at the end. */
function placeMoves(atoms: readonly Atom[], moves: readonly Atom[]): Atom[] {
  const end = atoms.findLastIndex((atom) => atom.phase !== "delete") + 1;
  return [...atoms.slice(0, end), ...moves, ...atoms.slice(end)];
}

/** Returns the operations of the atoms. Adjacent pieces of one fragment are joined again, unless one needs the other. */
function join(atoms: readonly Atom[]): PlannedOperation[] {
  const operations: PlannedOperation[] = [];
  for (let i = 0; i < atoms.length; ) {
    const atom = atoms[i] as Atom;
    const pieces = piecesFrom(atoms, i);
    const operation = soleOperation(atom);
    if (pieces.length > 1 && operation?.action === "set")
      operations.push(planned(joinPieces(operation.at, pieces), atom.phase, atom.changes));
    else
      for (const part of atom.parts ?? [atom]) operations.push(...part.operations.map((each) => planned(each, atom.phase, part.changes)));
    i += Math.max(1, pieces.length);
  }
  return operations;
}

/** Returns the adjacent pieces of one fragment and one layer from `start`. */
function piecesFrom(atoms: readonly Atom[], start: number): Piece[] {
  const pieces: Piece[] = [];
  for (let i = start; i < atoms.length; i += 1) {
    const { piece, fragment, layer } = atoms[i] as Atom;
    if (piece === undefined || fragment !== atoms[start]?.fragment || layer !== atoms[start]?.layer) break;
    pieces.push(piece);
  }
  return pieces;
}

function planned(operation: PlannedOperation["operation"], phase: Phase, changes: readonly number[]): PlannedOperation {
  return { operation, phase, changes };
}
