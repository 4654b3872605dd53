import { isNothing } from "../core/tree/canonical-children.js";
import { pathOf } from "../core/tree/lookup.js";
import { SecretLeaf, TreeNode } from "../core/tree/node.js";
import { markTag, ownerOf } from "../core/tree/owner-mark.js";
import { Path } from "../core/tree/path.js";
import type { Shape } from "../core/tree/shape.js";
import type { DesiredKind } from "../desired/kind.js";

/** Part of a live tree that a document of a strict kind can declare. */
export interface Declarable {
  readonly tree: TreeNode;
  /** Entries without an ownership mark. Declaring them takes them over. */
  readonly unmarked: ReadonlySet<TreeNode>;
  /** Number of omitted entries: entries of other owners, entries of the platform, and entries with a name that documents do not permit. */
  readonly left: number;
}

/**
 * Returns the part of a live tree that documents of a strict kind can declare. It omits read-only fields, fields that the
 * platform fixes at creation, marks, entries of other owners than `owner`, and objects of the platform (ADR 7). It keeps empty lists only
 * if they are in `complete`.
 */
export function declarablePart(
  root: TreeNode,
  kind: DesiredKind,
  owner: string | undefined,
  complete: ReadonlySet<TreeNode> = new Set(),
): Declarable {
  const part = new Part(kind, owner, complete);
  const tree = part.of(root, kind.shape, Path.root.child(root.tag)) ?? new TreeNode(root.tag);
  return { tree, unmarked: part.unmarked, left: part.left };
}

class Part {
  readonly unmarked = new Set<TreeNode>();
  left = 0;
  readonly #kind: DesiredKind;
  readonly #owner: string | undefined;
  readonly #complete: ReadonlySet<TreeNode>;

  constructor(kind: DesiredKind, owner: string | undefined, complete: ReadonlySet<TreeNode>) {
    this.#kind = kind;
    this.#owner = owner;
    this.#complete = complete;
  }

  of(node: TreeNode, shape: Shape, path: Path): TreeNode | undefined {
    if (shape.readOnly === true || shape.mark === true || shape.unimported === true) return undefined;
    if (shape.computed === true && shape.immutable === true && shape.imported !== true) return undefined;
    const tag = markTag(shape);
    const mark = tag === undefined ? undefined : ownerOf(node, tag);
    const isOthers = mark !== undefined && this.#owner !== undefined && mark !== this.#owner;
    if (
      tag !== undefined &&
      (isOthers || (mark === undefined && (this.#kind.isPlatforms?.(node, path) === true || !this.#hasName(path))))
    ) {
      this.left += 1;
      return undefined;
    }
    if (this.#complete.has(node) && node.children.length === 0) return node;
    if (node.children.length === 0) return isNothing(node, shape) ? undefined : this.#entry(withoutNotes(node), tag, mark);
    const children = node.children.flatMap((child) => this.of(child, shape.child(child.tag), pathOf(path, child)) ?? []);
    if (children.length === 0 && node.name === undefined) return undefined;
    return this.#entry(new TreeNode(node.tag, node.name, node.text, children), tag, mark);
  }

  /** Returns false for an entry whose name is too long for a mark. */
  #hasName({ parent, name }: Path): boolean {
    return parent === undefined || name === undefined || this.#kind.checkName?.(parent, name) === undefined;
  }

  #entry(kept: TreeNode, tag: string | undefined, mark: string | undefined): TreeNode {
    if (tag !== undefined && mark === undefined) this.unmarked.add(kept);
    return kept;
  }
}

/** Removes attributes, which are notes of the reader. The services of strict kinds have none. */
function withoutNotes(node: TreeNode): TreeNode {
  if (node.attributes === undefined || node instanceof SecretLeaf) return node;
  return new TreeNode(node.tag, node.name, node.text, []);
}
