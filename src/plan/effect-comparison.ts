import type { TreeNode } from "../core/tree/node.js";
import type { Shape } from "../core/tree/shape.js";
import { counterpart } from "./counterpart.js";
import { choiceKey, type Effects, neverEmpty } from "./effects.js";
import type { NameReference, Scopes } from "./namespace.js";
import { childPlace, definitionAt, type ScopedPath } from "./scoped-path.js";

/** `merge`: nodes that the new side lacks are kept. `replace`: they are deleted. */
export type WriteMode = "merge" | "replace";

/** Compares a node before and after one write, and records the effects. Linear in both. */
export class EffectComparison {
  readonly #effects: Effects;
  readonly #scopes: Scopes;
  readonly #mode: WriteMode;

  constructor(effects: Effects, scopes: Scopes, mode: WriteMode) {
    this.#effects = effects;
    this.#scopes = scopes;
    this.#mode = mode;
  }

  node(before: TreeNode | undefined, after: TreeNode | undefined, place: ScopedPath): void {
    if (before === after) return;
    if (place.path.text !== undefined || place.above?.kind === "members") this.#member(before, after, place);
    else if (place.shape.kind === "leaf") this.#leaf(before, after, place);
    else {
      if (place.path.name !== undefined) this.#entry(before, after, place);
      if (place.shape.kind === "members") this.#countMembers(before, after, place);
      this.#children(before, after, place);
    }
  }

  #children(before: TreeNode | undefined, after: TreeNode | undefined, place: ScopedPath): void {
    for (const child of after?.children ?? []) {
      const live = before === undefined ? undefined : counterpart(before, child);
      const at = childPlace(place, child, this.#scopes);
      if (before !== undefined && live === undefined && at.shape.choice !== undefined) this.#effects.chooses.push(choiceKey(at));
      this.node(live, child, at);
    }
    if (before === undefined || (after !== undefined && this.#mode === "merge")) return;
    for (const child of before.children) {
      if (after !== undefined && counterpart(after, child) !== undefined) continue;
      this.node(child, undefined, childPlace(place, child, this.#scopes));
    }
  }

  #entry(before: TreeNode | undefined, after: TreeNode | undefined, place: ScopedPath): void {
    if (before !== undefined && after !== undefined) return;
    const name = place.path.name ?? "";
    const definition = definitionAt(place);
    if (definition !== undefined) this.#effects[after === undefined ? "removes" : "creates"].push(definition);
    if (place.shape.references.length === 0 || place.shape.reserved.has(name)) return;
    const reference = { path: place.path, value: name, kinds: place.shape.references, scope: place.outer, holder: place.holder };
    this.#effects[after === undefined ? "drops" : "adds"].push(reference);
  }

  #leaf(before: TreeNode | undefined, after: TreeNode | undefined, place: ScopedPath): void {
    if (before !== undefined && after !== undefined && before.text === after.text) return;
    this.#value(before, place, place, "drops", "frees");
    this.#value(after, place, place, "adds", "takes");
    if (after !== undefined && after.text !== "") this.#effects.claims.push(...(place.shape.claims ?? []));
  }

  #member(before: TreeNode | undefined, after: TreeNode | undefined, place: ScopedPath): void {
    const list = { ...place, shape: place.above ?? place.shape };
    if (before !== undefined && after !== undefined && before.text === after.text) return;
    this.#value(before, place, list, "drops", "frees");
    this.#value(after, place, list, "adds", "takes");
  }

  #value(node: TreeNode | undefined, place: ScopedPath, { shape }: ScopedPath, side: "adds" | "drops", unique: "takes" | "frees"): void {
    if (node === undefined || node.text === "") return;
    const value = node.text;
    if (shape.references.length > 0 && !shape.reserved.has(value)) {
      this.#effects[side].push(referenceAt(place, shape, value));
    }
    if (shape.unique !== true || place.list === undefined) return;
    const within = shape.references.length > 0 ? `${place.holder?.kind}\n${shape.references}` : `${place.list}\n${place.path.tag}`;
    this.#effects[unique].push({ key: `${within}\n${value}`, path: place.path });
  }

  #countMembers(before: TreeNode | undefined, after: TreeNode | undefined, place: ScopedPath): void {
    if (before === undefined || after === undefined) return;
    const kept = after.children.filter((child) => counterpart(before, child) !== undefined).length;
    const dropped = this.#mode === "merge" ? 0 : before.children.length - kept;
    this.#effects.lists.push({
      site: place.path.toString(),
      path: place.path,
      matches: place.shape.matchList,
      neverEmpty: neverEmpty(place.shape),
      live: before.children.length,
      added: after.children.length - kept,
      dropped,
    });
  }
}

/** Returns the reference in a leaf or member with this text. */
export function referenceAt({ path, scope, holder }: ScopedPath, { references, leads, follows }: Shape, value: string): NameReference {
  return { path, value, kinds: references, scope, holder, leads, follows: follows !== undefined };
}
