import { SecretValue } from "../../core/secret.js";
import { isNothing } from "../../core/tree/canonical-children.js";
import { childByTag, childEntry, pathOf } from "../../core/tree/lookup.js";
import { SecretLeaf, type TreeNode } from "../../core/tree/node.js";
import { isUnmanaged, markTag } from "../../core/tree/owner-mark.js";
import type { Path } from "../../core/tree/path.js";
import { isPolicyList, type Shape } from "../../core/tree/shape.js";
import type { DesiredNode } from "../../desired/model.js";
import { formOf, formsClash, howToWrite } from "./content-form.js";
import { type CrossedRenames, crossedRenames } from "./crossed-renames.js";
import { CurrentPath } from "./current-path.js";
import { withoutEmptyDuplicates } from "./empty-duplicates.js";
import { isIdentical, sameText, wantsNothing } from "./equality.js";
import { holdsInherited, isDeletedWithObject, isInherited } from "./inherited.js";
import type { DiffInput } from "./input.js";
import { compareOrder, hasAnchor, type Staying } from "./list-order.js";
import { asCompleteList, changeOfLimited, compareMembers } from "./members.js";
import { type Pairing, pairChildren, pairCrossed, sameKey } from "./pairing.js";
import { keptBelow, type Results } from "./results.js";
import { matchesEverything } from "./shadow.js";

/**
 * Walks two trees in parallel. Children in the same order are paired one by one; after the first mismatch, the rest of the list is looked
 * up by key. The walk is linear in both trees and does not allocate for equal nodes.
 */
export class TreeComparison {
  readonly #input: DiffInput;
  readonly #results: Results;
  /** Live nodes that the ledger deletes. They do not stay in their lists and are not anchors. */
  readonly #doomed: ReadonlySet<TreeNode>;
  readonly #trail = new CurrentPath();

  constructor(input: DiffInput, results: Results, doomed: ReadonlySet<TreeNode>) {
    this.#input = input;
    this.#results = results;
    this.#doomed = doomed;
  }

  run(): void {
    this.#node(this.#input.desired, this.#input.live, this.#input.shape, 0);
  }

  #node(desired: DesiredNode, live: TreeNode, shape: Shape, depth: number): void {
    this.#trail.enter(depth, desired, live);
    const { handling } = desired;
    if (handling?.ignored === true) return;
    if (handling?.keep === true) {
      if (live instanceof SecretLeaf) this.#kept(desired, live, depth);
      return;
    }
    if (desired.children.length === 0 && live.children.length === 0) this.#leaf(desired, live, shape, depth);
    else if (shape.kind === "list" && desired.children[0]?.tag === "entry" && live.children[0]?.tag === "entry") {
      this.#children(desired, live, shape, depth);
    } else this.#content(desired, live, shape, depth);
  }

  #content(desired: DesiredNode, live: TreeNode, shape: Shape, depth: number): void {
    const form = formOf(desired);
    if (live instanceof SecretLeaf || formsClash(form, formOf(live))) this.#clash(desired, live, depth);
    else if (shape.kind === "members" || form === "members") this.#members(desired, live, shape, depth);
    else this.#children(desired, live, shape, depth);
  }

  #leaf(desired: DesiredNode, live: TreeNode, shape: Shape, depth: number): void {
    const { handling } = desired;
    if (live instanceof SecretLeaf) this.#storedSecret(desired, live, shape, depth);
    else if (handling?.secret !== undefined) {
      const stored = new SecretValue(live.text, "«stored secret»");
      if (handling.secret.reveal() !== live.text) this.#differs(desired, new SecretLeaf(live.tag, stored, live.attributes), depth);
    } else if (handling?.unresolved !== undefined) this.#differs(desired, live, depth);
    else if (desired.declared && !sameText(desired.text, live.text, shape.equality)) this.#differs(desired, live, depth);
  }

  #storedSecret(desired: DesiredNode, live: SecretLeaf, shape: Shape, depth: number): void {
    if (!desired.declared) return;
    if (desired.handling?.secret === undefined && sameText(desired.text, live.secret.reveal(), shape.equality)) return;
    const path = this.#trail.path(depth);
    const state = this.#input.secretState(path, desired, live);
    if (state === "changed" || (state === "unknown" && this.#input.rotateSecrets === true)) this.#differs(desired, live, depth);
    else if (state === "unknown") {
      const message = "The stored secret cannot be compared. It is not written without --rotate.";
      this.#results.find("unknown-secret", path, message, desired.origin, false);
    }
  }

  /** Compares the stored secret with its fingerprint from the last run, never with a value. */
  #kept(desired: DesiredNode, live: SecretLeaf, depth: number): void {
    const path = this.#trail.path(depth);
    const state = this.#input.secretState(path, desired, live);
    if (state === "changed") {
      this.#results.remaining.push({ kind: "differs", path, before: live, after: desired });
      const accept = `plumbline adopt ${this.#input.target ?? "TARGET"} --path "${path}"`;
      const message = `The secret of \${keep} was replaced on the target, and Plumbline cannot restore it. When the target has the right one, accept it: ${accept}.`;
      this.#results.find("kept-replaced", path, message, desired.origin, false);
    } else if (state === "other-key") {
      const message = "The secret of ${keep} cannot be compared: the ledger has its fingerprint with another fingerprintKey.";
      this.#results.find("unknown-secret", path, message, desired.origin, false);
    }
  }

  #clash(desired: DesiredNode, live: TreeNode, depth: number): void {
    const message = `The declared "${live.tag}" has a different form than the live one: ${howToWrite(live)}.`;
    this.#results.find("shape-mismatch", this.#trail.path(depth), message, desired.origin, true);
  }

  #members(desired: DesiredNode, live: TreeNode, shape: Shape, depth: number): void {
    const { missing, extra, reordered } = compareMembers(desired, live, shape);
    if (missing.length === 0 && extra.length === 0 && !reordered) return;
    const hasParts = !desired.prunes || desired.children.some((child) => child.handling?.ignored === true);
    if (!hasParts) {
      this.#differs(desired, live, depth);
      return;
    }
    if (this.#refuseInherited(desired, depth)) return;
    const path = this.#trail.path(depth);
    const limited = changeOfLimited(live, { missing, extra }, shape);
    if (limited === "replaced") this.#differs(asCompleteList(desired), live, depth);
    else if (limited !== undefined) this.#results.find("shape-mismatch", path, limited.refused, desired.origin, true);
    else {
      for (const after of missing) this.#results.add({ kind: "missing", path: path.member(after.text), after });
      for (const { node, reason } of extra) this.#results.add({ kind: "extra", path: path.member(node.text), before: node, reason });
    }
  }

  #differs(before: DesiredNode, live: TreeNode, depth: number): void {
    if (this.#refuseInherited(before, depth) || this.#isRepeated(before, depth)) return;
    this.#results.add({ kind: "differs", path: this.#trail.path(depth), before: live, after: before });
  }

  #refuseInherited(desired: DesiredNode, depth: number): boolean {
    if (!this.#trail.isInherited(depth)) return false;
    this.#reportInherited(desired, depth);
    return true;
  }

  #reportInherited(desired: DesiredNode, depth: number): void {
    const message = "A template or manager put something else here; $override: true writes over it.";
    this.#results.find("inherited", this.#trail.path(depth), message, desired.origin, false);
  }

  #isRepeated(desired: DesiredNode, depth: number): boolean {
    const parents = [this.#trail.liveAt(depth - 1), this.#trail.desiredAt(depth - 1)];
    return this.#results.refuseRepeated(this.#trail.path(depth), desired, parents, desired.origin);
  }

  #children(desired: DesiredNode, read: TreeNode, shape: Shape, depth: number): void {
    const wanted = desired.children;
    const live = read.children.length === wanted.length ? read : withoutEmptyDuplicates(read, shape);
    const found = live.children;
    const crossed = this.#input.rename === true ? crossedRenames(wanted, found, shape) : undefined;
    let paired = 0;
    for (; crossed === undefined && paired < wanted.length; paired += 1) {
      const a = wanted[paired];
      const b = found[paired];
      if (a === undefined || b === undefined || !sameKey(a, b)) break;
      this.#pair(a, b, shape, depth);
    }
    // The anchor of `$position` may be missing although all declared entries are equal and in order.
    const isPlaced = shape.ordered && shape.kind === "list" && hasAnchor(desired);
    if (paired < wanted.length || paired < found.length || isPlaced) this.#rest(desired, live, shape, depth, paired, crossed);
  }

  /** Walks containers directly: checking them for equality first would walk them twice. */
  #pair(wanted: DesiredNode, live: TreeNode, shape: Shape, depth: number): void {
    if ((wanted.prunes || wanted.children.length === 0) && isIdentical(wanted, live)) return;
    this.#node(wanted, live, shape.child(wanted.tag), depth + 1);
  }

  /** Compares the children from `paired` on, whose order differs. */
  #rest(desired: DesiredNode, live: TreeNode, shape: Shape, depth: number, paired: number, crossed?: CrossedRenames): void {
    const found = live.children;
    const { children } = desired;
    const pairing = crossed === undefined ? pairChildren(children, found, paired) : pairCrossed(children, found, crossed);
    for (let i = paired; i < desired.children.length; i += 1) {
      const wanted = desired.children[i] as DesiredNode;
      const position = pairing.positions[i] ?? -1;
      const node = found[position];
      if (node === undefined) {
        const childShape = shape.child(wanted.tag);
        if (childShape.createOnly !== true) this.#missing(wanted, childShape, depth + 1);
      } else if (!pairing.renamed.has(position) || this.#renamed(wanted, node, depth + 1)) this.#pair(wanted, node, shape, depth);
    }
    if (pairing.unclaimed.length > 0) this.#unclaimed(desired, live, shape, depth, pairing);
    if (shape.ordered && shape.kind === "list") this.#order(desired, live, shape, depth, pairing);
  }

  #renamed(wanted: DesiredNode, live: TreeNode, depth: number): boolean {
    this.#trail.enter(depth, wanted, live);
    if (this.#refuseInherited(wanted, depth)) return false;
    const to = wanted.name ?? "";
    this.#results.add({ kind: "renamed", path: this.#trail.path(depth), from: live.name ?? "", to, after: wanted });
    return true;
  }

  /** Reports that `wanted` has no live counterpart at `depth`. */
  #missing(wanted: DesiredNode, shape: Shape, depth: number): void {
    this.#trail.enter(depth, wanted, undefined);
    if (wanted.handling?.keep !== true && wantsNothing(wanted, shape)) return;
    if (!wanted.declared) {
      this.#missingPlace(wanted, shape, depth);
      return;
    }
    if (this.#trail.isInInheritedEntry(depth)) {
      this.#reportInherited(wanted, depth);
      return;
    }
    if (this.#isRepeated(wanted, depth)) return;
    const path = this.#trail.path(depth);
    if (!wanted.prunes && markTag(shape) !== undefined) {
      this.#missingPart(wanted, path);
      return;
    }
    for (const kept of keptBelow(wanted, path)) {
      const message = "The target has no value for ${keep}. Write a reference to the value, or delete the line.";
      this.#results.find("kept-missing", kept.path, message, kept.node.origin, true);
    }
    if (wanted.handling?.keep !== true) this.#results.add({ kind: "missing", path, after: wanted });
  }

  /** `$partial` manages a part of an object that another owner creates. Plumbline never creates the object. */
  #missingPart(wanted: DesiredNode, path: Path): void {
    const awaits = this.#input.awaitsDependencies === true;
    const message = awaits
      ? `"${wanted.name ?? ""}" does not exist yet: $partial waits for the other targets of this run.`
      : `"${wanted.name ?? ""}" does not exist, and $partial only manages a part of an existing object. Remove $partial to create it.`;
    this.#results.find("place-missing", path, message, wanted.origin, !awaits);
  }

  /** Containers of a document's scope are created with the declarations in them. Entries of a scope are never created. */
  #missingPlace(wanted: DesiredNode, shape: Shape, depth: number): void {
    if (wanted.name !== undefined) this.#reportMissingPlaces(wanted, depth);
    else for (const child of wanted.children) this.#missing(child, shape.child(child.tag), depth + 1);
  }

  /**
   * Reports the innermost entries of a missing scope, because the documents name them and the entries around them may exist outside the
   * part that was read. Returns whether `wanted` has declarations outside the reported entries.
   */
  #reportMissingPlaces(wanted: DesiredNode, depth: number): boolean {
    if (wanted.declared) return true;
    this.#trail.enter(depth, wanted, undefined);
    const isOpen = wanted.children.filter((child) => this.#reportMissingPlaces(child, depth + 1)).length > 0;
    if (wanted.name === undefined || !isOpen) return isOpen;
    const message = `"${wanted.name}" does not exist on the target, and Plumbline does not create it. Create it there, or change the scope of the document.`;
    this.#results.find("place-missing", this.#trail.path(depth), message, firstOrigin(wanted), true);
    return false;
  }

  #unclaimed(desired: DesiredNode, live: TreeNode, shape: Shape, depth: number, { unclaimed, duplicates }: Pairing): void {
    if (!desired.prunes) this.#unmanaged(desired, live, shape, depth, { unclaimed, duplicates });
    let choices: ReadonlySet<string> | undefined;
    for (const position of unclaimed) {
      const node = live.children[position] as TreeNode;
      if (duplicates.has(position)) {
        this.#duplicate(desired, live, node, depth);
        continue;
      }
      const childShape = shape.child(node.tag);
      if (desired.prunes) this.#extra(desired, live, node, childShape, depth, "closed");
      else if (childShape.choice !== undefined && node.name === undefined) {
        choices ??= choicesOf(desired, shape);
        if (choices.has(childShape.choice)) this.#extra(desired, live, node, childShape, depth, "excluded");
      }
    }
  }

  /** Rules decide traffic together: an undeclared rule next to declared ones changes their effect. Other entries are only counted. */
  #unmanaged(
    desired: DesiredNode,
    live: TreeNode,
    shape: Shape,
    depth: number,
    { unclaimed, duplicates }: Pick<Pairing, "unclaimed" | "duplicates">,
  ): void {
    if (!desired.children.some(({ declared, handling }) => declared && handling?.ignored !== true)) return;
    const list = this.#trail.path(depth);
    const entries = unclaimed
      .filter((position) => !duplicates.has(position))
      .map((position) => live.children[position] as TreeNode)
      .filter((node) => node.name !== undefined && !isInherited(node) && !this.#doomed.has(node))
      .map((node) => ({ node, path: pathOf(list, node) }))
      .filter(({ path }) => this.#input.isSystem?.(path) !== true);
    if (!isPolicyList(shape)) for (const { path } of entries) this.#results.unmanaged.push(path);
    else if (desired.handling?.shared !== true)
      for (const { path, node } of entries) this.#results.remaining.push({ kind: "unmanaged", path, before: node });
    else if (entries.length > 0)
      this.#results.find("unmanaged", list, sharedMessage(entries.map(({ node }) => node.name ?? "")), desired.origin, false);
  }

  #duplicate(desired: DesiredNode, live: TreeNode, node: TreeNode, depth: number): void {
    const wanted = node.name === undefined ? childByTag(desired, node.tag) : childEntry(desired, node.name, node.tag);
    if (wanted === undefined && !desired.prunes) return;
    const path = this.#trail.path(depth);
    if (node.name === undefined) {
      this.#results.refuseRepeated(path.child(node.tag), node, [live], desired.origin);
      return;
    }
    const message = `Two live objects are named "${node.name}". Plumbline cannot distinguish them.`;
    this.#results.find("duplicate", path.entry(node.name, node.tag), message, desired.origin, true);
  }

  #extra(desired: DesiredNode, live: TreeNode, node: TreeNode, shape: Shape, depth: number, reason: "closed" | "excluded"): void {
    const isDefault = desired.handling?.exclusive === true && isDeletedWithObject(node);
    if (shape.computed === true || isNothing(node, shape) || (isInherited(node) && !isDefault)) return;
    const path = pathOf(this.#trail.path(depth), node);
    if (this.#isLeft(node, path, shape)) return;
    if (this.#refuseInherited(desired, depth)) return;
    if (this.#results.refuseRepeated(path, node, [live], desired.origin)) return;
    if (isDefault) this.#results.add({ kind: "extra", path, before: node, reason });
    else this.#extraParts(node, path, shape, reason);
  }

  /**
   * Returns whether to keep an undeclared object on a platform with marks. It stays if it lacks this owner's mark. Without a ledger it also
   * stays, unless its list is exclusive.
   */
  #isLeft(node: TreeNode, path: Path, shape: Shape): boolean {
    if (node.name === undefined || markTag(shape) === undefined) return false;
    const { owner, ledger, exclusive = [] } = this.#input;
    if (owner !== undefined && isUnmanaged(node, shape, owner)) return true;
    return ledger === undefined && !exclusive.some((list) => list.contains(path));
  }

  /**
   * Deletes a node, or only parts of a node that contains inherited nodes or marked objects. Marked objects in an undeclared list are
   * deleted one by one.
   */
  #extraParts(node: TreeNode, path: Path, shape: Shape, reason: "closed" | "excluded"): void {
    if (isInherited(node) || isNothing(node, shape)) return;
    const holdsObjects = () => node.children.some(({ tag }) => markTag(shape.child(tag)) !== undefined);
    const isKept = holdsInherited(node) || (node.name === undefined && (node.children.some(isInherited) || holdsObjects()));
    if (this.#isLeft(node, path, shape)) return;
    if (!isKept) this.#results.add({ kind: "extra", path, before: node, reason });
    else for (const child of node.children) this.#extraParts(child, pathOf(path, child), shape.child(child.tag), reason);
  }

  #order(desired: DesiredNode, live: TreeNode, shape: Shape, depth: number, pairing: Pairing): void {
    const ranks = new Int32Array(live.children.length).fill(-1);
    for (const [rank, position] of pairing.positions.entries()) if (position >= 0) ranks[position] = rank;
    const removed = new Set<TreeNode>();
    for (const position of pairing.unclaimed) {
      const node = live.children[position] as TreeNode;
      if (pairing.duplicates.has(position) || (desired.prunes && !holdsInherited(node))) removed.add(node);
    }
    const staying: Staying[] = [];
    for (let position = 0; position < live.children.length; position += 1) {
      const node = live.children[position] as TreeNode;
      if (node.name === undefined || removed.has(node) || this.#doomed.has(node)) continue;
      const wanted = desired.children[ranks[position] ?? -1];
      const isManaged = wanted?.declared === true && wanted.handling?.ignored !== true;
      staying.push({ node, name: wanted?.name ?? node.name, rank: isManaged ? (ranks[position] ?? -1) : -1 });
    }
    const shadows = (entry: TreeNode, entryShape: Shape): boolean =>
      this.#input.shadows?.(entry, entryShape) ?? matchesEverything(entry, entryShape);
    compareOrder({ desired, shape, path: this.#trail.path(depth), staying, shadows }, this.#results);
  }
}

/** Maximum number of names in a finding about a shared list. */
const SHOWN_NAMES = 5;

function sharedMessage(names: readonly string[]): string {
  const more = names.length - SHOWN_NAMES;
  const shown = names.slice(0, SHOWN_NAMES).map((name) => `"${name}"`);
  const rules = names.length === 1 ? "1 rule is" : `${names.length} rules are`;
  return `${rules} managed by someone else (owns: shared): ${shown.join(", ")}${more > 0 ? ` and ${more} more` : ""}.`;
}

function choicesOf(desired: DesiredNode, shape: Shape): ReadonlySet<string> {
  const choices = new Set<string>();
  for (const child of desired.children) {
    const { choice } = shape.child(child.tag);
    if (choice !== undefined && child.declared && child.handling?.ignored !== true) choices.add(choice);
  }
  return choices;
}

/** Returns the first origin at or below a node. A document's place itself has none. */
function firstOrigin({ origin, children }: DesiredNode): number {
  if (origin >= 0) return origin;
  for (const child of children) {
    const first = firstOrigin(child);
    if (first >= 0) return first;
  }
  return -1;
}
