import { PlumblineError } from "../core/errors.js";
import type { Shape } from "../core/tree/shape.js";
import { mergeBlocks } from "./blocks.js";
import { isLeaf, keyOf, listsMembers, type Merging } from "./merge.js";
import { DesiredNode, type Handling } from "./model.js";
import { checkRenames } from "./renames.js";

/**
 * Overlays the tree of narrower documents on the tree of wider ones (docs/desired-state.md#several-targets). Leaves of the narrower
 * documents win. Entries and containers merge. A complete list of members only changes by `$add` and `$remove`.
 */
export class Layers {
  readonly #merging: Merging;

  constructor(merging: Merging) {
    this.#merging = merging;
  }

  /** Overlays `close` on `wide`, which has the same tag and name. */
  lay(close: DesiredNode, wide: DesiredNode, shape: Shape): DesiredNode {
    if (!close.declared && close.children.length === 0) return wide;
    if (isMembers(close, shape) || isMembers(wide, shape)) return this.#members(close, wide);
    if (close.declared && wide.declared && (isLeaf(close, shape) || isLeaf(wide, shape))) {
      this.#forget(wide);
      return close;
    }
    return this.#node(close, wide, this.#children(close, wide, shape));
  }

  /** Reports `$add` and `$remove` without a list to change. */
  checkEdits(): void {
    for (const node of this.#merging.draft.edits)
      this.#error(
        "members-over-nothing",
        `No document for more targets lists the members of "${node.tag}".`,
        node,
        "Write the complete list, or correct the path.",
      );
  }

  #children(close: DesiredNode, wide: DesiredNode, shape: Shape): readonly DesiredNode[] {
    const others = new Map(close.children.map((child) => [keyOf(child), child]));
    const closed = this.#choices(close, shape);
    const kept: DesiredNode[] = [];
    for (const child of wide.children) {
      const over = others.get(keyOf(child));
      others.delete(keyOf(child));
      if (over !== undefined) kept.push(this.lay(over, child, shape.child(child.tag)));
      else if (closed.has(shape.child(child.tag).choice ?? "")) this.#forget(child);
      else kept.push(child);
    }
    const added = [...others.values()];
    const children = shape.ordered && added.length > 0 && kept.length > 0 ? this.#blocks(close, added, wide, kept) : [...kept, ...added];
    checkRenames(children, shape, (origin) => this.#merging.where(origin), this.#merging.problems);
    return children;
  }

  /** Returns the choices that the narrower document uses. */
  #choices(close: DesiredNode, shape: Shape): ReadonlySet<string> {
    if (shape.kind === "list") return new Set();
    return new Set(close.children.flatMap((child) => (child.declared ? (shape.child(child.tag).choice ?? []) : [])));
  }

  #blocks(close: DesiredNode, added: readonly DesiredNode[], wide: DesiredNode, kept: readonly DesiredNode[]): readonly DesiredNode[] {
    const fragments = [...blocksOf(wide, kept), ...blocksOf(close, added)];
    return mergeBlocks(fragments, (origin) => this.#merging.where(origin), this.#merging.problems).entries;
  }

  #members(close: DesiredNode, wide: DesiredNode): DesiredNode {
    const edits = close.handling?.edits === true;
    const { exclude = [] } = close.handling ?? {};
    const managed = wide.handling?.exclude !== undefined && close.handling?.exclude !== undefined;
    if (!edits && !managed) {
      const next = "Write { $add: [...], $remove: [...] }: a wider list that others rely on is not replaced completely.";
      this.#error(
        "members-over-list",
        `The members of "${close.tag}" are listed by a document for more targets${this.#merging.elsewhere(wide)}.`,
        close,
        next,
      );
      return wide;
    }
    this.#merging.draft.edits.delete(close);
    const unmatched = new Set(exclude);
    const stay = wide.children.filter(({ text }) => !unmatched.delete(text));
    if (edits && unmatched.size > 0)
      this.#error(
        "members-over-list",
        `$remove names ${[...unmatched].map((text) => `"${text}"`).join(", ")}, which the wider document does not list${this.#merging.elsewhere(wide)}.`,
        close,
        "Correct the name, or delete it.",
      );
    for (const child of wide.children) if (!stay.includes(child)) this.#forget(child);
    const known = new Map(stay.map((child) => [child.text, child]));
    for (const child of close.children) this.#merging.join(known.get(child.text) ?? child, child);
    const members = [...stay, ...close.children.filter(({ text }) => !known.has(text))];
    const excluded = [
      ...(wide.handling?.exclude ?? []).filter((text) => !members.some((one) => one.text === text)),
      ...(edits ? [] : exclude),
    ];
    const handling = wide.handling?.exclude === undefined ? wide.handling : { ...wide.handling, exclude: [...new Set(excluded)] };
    if (wide.handling?.edits === true) this.#merging.draft.edits.delete(wide);
    const node = copy(wide, members, handling);
    if (wide.handling?.edits === true) this.#merging.draft.edits.add(node);
    return node;
  }

  #node(close: DesiredNode, wide: DesiredNode, children: readonly DesiredNode[]): DesiredNode {
    const node = new DesiredNode(wide.tag, wide.name, "", children, {
      origin: wide.declared ? wide.origin : close.origin,
      prunes: wide.prunes || close.prunes,
      declared: wide.declared || close.declared,
      handling: joined(wide.handling, close.handling, children),
    });
    if (wide.declared && close.declared) this.#merging.join(wide, close);
    const { partial } = this.#merging.draft;
    if ([close, wide].every((one) => !one.declared || partial.has(one))) partial.add(node);
    return node;
  }

  /** Removes pending references of a node that was replaced. */
  #forget(node: DesiredNode): void {
    this.#merging.draft.pending.delete(node);
    this.#merging.draft.edits.delete(node);
    for (const child of node.children) this.#forget(child);
  }

  #error(code: string, message: string, node: DesiredNode, next: string): void {
    this.#merging.error(new PlumblineError(code, message, { where: this.#merging.where(node.origin), next }));
  }
}

function isMembers(node: DesiredNode, shape: Shape): boolean {
  return node.declared && (shape.kind === "members" || listsMembers(node));
}

/** Returns the blocks of a list. It has one per document; each further block begins at an entry with a position. */
function blocksOf(list: DesiredNode, entries: readonly DesiredNode[]): readonly DesiredNode[] {
  const blocks: DesiredNode[][] = [];
  for (const entry of entries) {
    const last = blocks.at(-1);
    if (last === undefined || entry.handling?.position !== undefined) blocks.push([entry]);
    else last.push(entry);
  }
  if (blocks.length < 2) return [copy(list, entries, list.handling)];
  return blocks.map((block) => {
    const { position, contiguous } = block[0]?.handling ?? {};
    return copy(list, block, { ...list.handling, ...(position && { position }), ...(contiguous && { contiguous }) });
  });
}

function copy(node: DesiredNode, children: readonly DesiredNode[], handling: Handling | undefined): DesiredNode {
  const { tag, name, text, origin, prunes, declared } = node;
  return new DesiredNode(tag, name, text, children, { origin, prunes, declared, handling });
}

/** Joins handling. A list with several ordered blocks has its positions on the first entry of each block. */
function joined(wide: Handling | undefined, close: Handling | undefined, children: readonly DesiredNode[]): Handling | undefined {
  if (wide === undefined && close === undefined) return undefined;
  const { position, contiguous, ...rest } = { ...wide, ...close };
  const isSplit = children.some((child) => child.tag === "entry" && child.handling?.position !== undefined);
  const all = isSplit ? rest : { ...rest, ...(position && { position }), ...(contiguous && { contiguous }) };
  return Object.keys(all).length === 0 ? undefined : all;
}
