import type { Operation } from "../core/operation.js";
import { find, pathOf } from "../core/tree/lookup.js";
import type { TreeNode } from "../core/tree/node.js";
import type { Path } from "../core/tree/path.js";
import type { Shape } from "../core/tree/shape.js";
import { counterpart } from "./counterpart.js";
import { EffectComparison, referenceAt } from "./effect-comparison.js";
import { choiceKey, type Effects, neverEmpty, noEffects } from "./effects.js";
import type { Scopes } from "./namespace.js";
import { definitionAt, placeAt, rootPlace, type ScopedPath } from "./scoped-path.js";

/** Finds the effects of operations on one live tree, whose root element has `shape`. */
export class EffectFinder {
  readonly #root: TreeNode;
  readonly #top: ScopedPath;
  readonly #scopes: Scopes;

  constructor(root: TreeNode, shape: Shape, scopes: Scopes) {
    this.#root = root;
    this.#top = rootPlace(root, shape, scopes);
    this.#scopes = scopes;
  }

  /** Returns the place at a path, with its shape. */
  place(path: Path): ScopedPath {
    return placeAt(this.#top, path, this.#scopes);
  }

  /** The live node at a path. */
  live(path: Path): TreeNode | undefined {
    return find(this.#root, path);
  }

  of(operations: readonly Operation[]): Effects {
    const effects = noEffects();
    for (const operation of operations) this.#add(operation, effects);
    this.#addDerived(effects);
    return effects;
  }

  /** Adds live references that end together with a side of the choice that they follow (`Shape.follows`). */
  #addDerived(effects: Effects): void {
    const known = new Set(effects.drops.map(({ path }) => path.toString()));
    for (const { path } of [...effects.drops]) {
      const entry = path.parent;
      const { choice } = this.place(path).shape;
      if (entry === undefined || choice === undefined) continue;
      const { shape } = this.place(entry);
      for (const tag of shape.knownTags.filter((each) => shape.child(each).follows === choice)) {
        const at = entry.child(tag);
        const live = this.live(at);
        if (live === undefined || known.has(at.toString())) continue;
        known.add(at.toString());
        effects.drops.push(referenceAt(this.place(at), shape.child(tag), live.text));
      }
    }
  }

  #add(operation: Operation, effects: Effects): void {
    const { action, at } = operation;
    if (action === "set") {
      const live = this.live(at);
      const before = live === undefined ? undefined : counterpart(live, operation.element);
      const place = this.place(pathOf(at, operation.element));
      if (live !== undefined && before === undefined && place.shape.choice !== undefined) effects.chooses.push(choiceKey(place));
      if (live !== undefined && before === undefined) countMember(effects, place, live, { added: 1, dropped: 0 });
      new EffectComparison(effects, this.#scopes, "merge").node(before, operation.element, place);
    } else if (action === "rename") {
      this.#rename(at, operation.newName, effects);
    } else if (action !== "move") {
      const after = action === "edit" ? operation.element : undefined;
      const place = this.place(at);
      const list = at.text === undefined || at.parent === undefined ? undefined : this.live(at.parent);
      if (list !== undefined) countMember(effects, place, list, { added: after === undefined ? 0 : 1, dropped: 1 });
      if (after === undefined && place.shape.choice !== undefined) effects.unchooses.push(choiceKey(place));
      new EffectComparison(effects, this.#scopes, "replace").node(this.live(at), after, place);
    }
  }

  #rename(at: Path, newName: string, effects: Effects): void {
    const definition = definitionAt(this.place(at));
    if (definition === undefined || at.parent === undefined) return;
    effects.removes.push(definition);
    effects.creates.push({ ...definition, path: at.parent.entry(newName, at.tag), name: newName });
  }
}

/** Records a separately added or deleted member. Ignores other places. */
function countMember(effects: Effects, place: ScopedPath, list: TreeNode, change: { added: number; dropped: number }): void {
  const path = place.path.parent;
  if (path === undefined || place.above?.kind !== "members") return;
  effects.lists.push({
    site: path.toString(),
    matches: place.above.matchList,
    neverEmpty: neverEmpty(place.above),
    path,
    live: list.children.length,
    ...change,
  });
}
