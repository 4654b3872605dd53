import { pathOf, shapeAt } from "../core/tree/lookup.js";
import { TreeNode } from "../core/tree/node.js";
import { Path } from "../core/tree/path.js";
import type { Shape } from "../core/tree/shape.js";
import { refusedNodes } from "../desired/field-faults.js";
import type { DesiredKind } from "../desired/kind.js";
import { declarablePart } from "./declarable.js";
import { documentText, scopeWord } from "./document.js";
import { Encoder } from "./encode.js";
import { withoutReadOnly } from "./local.js";

/** Elements to declare. */
export interface Wanted {
  readonly root: TreeNode;
  readonly elements: ReadonlySet<TreeNode>;
  /** Ancestors of these elements, up to the root. */
  readonly above: ReadonlySet<TreeNode>;
}

/** Elements of a tree as desired state. */
export interface Declaration {
  /** YAML documents, one per place. Each can be saved as a separate file. */
  readonly documents: readonly string[];
  /** Number of entries that no document can declare: those of the platform. */
  readonly left: number;
}

/**
 * Writes elements as documents for `target`, each placed as deep as a `scope:` permits, with `comment` above. Read-only fields are omitted.
 * A partially wanted entry gets `$partial`. Objects of a strict kind are written completely.
 */
export function declare(target: string, wanted: Wanted, kind: DesiredKind, comment: string): Declaration {
  const cut = new Cut(wanted, kind);
  const { part, unmarked, left } = sayable(cut.part, kind);
  const placed = placesIn(part, kind);
  for (const { node } of placed) cut.partial.delete(node);
  const refused = kind.fields === undefined ? undefined : refusedNodes(part, kind.fields());
  // These entries are only declared in part.
  for (const node of cut.partial) refused?.delete(node);
  const encoder = new Encoder({ unmarked, partial: cut.partial, refused });
  const documents = placed.map(({ node, path }) => {
    const config = encoder.body(node, shapeAt(path, kind.shape), 0);
    return config.pairs.length === 0 ? undefined : documentText(target, path, config, kind, comment);
  });
  return { documents: documents.filter((document) => document !== undefined), left };
}

function sayable(tree: TreeNode, kind: DesiredKind) {
  if (kind.strict !== true) return { part: tree, unmarked: undefined, left: 0 };
  const { tree: part, unmarked, left } = declarablePart(tree, kind, undefined);
  return { part, unmarked, left };
}

/** Depth of the objects of a strict kind, which are in the lists below the root. */
const DEPTH_OF_OBJECTS = 3;

/** Tree that contains only the wanted elements and their ancestors. */
class Cut {
  readonly part: TreeNode;
  /** Entries that are contained only in part. */
  readonly partial = new Set<TreeNode>();
  readonly #wanted: Wanted;
  readonly #isStrict: boolean;

  constructor(wanted: Wanted, { shape, strict }: DesiredKind) {
    this.#wanted = wanted;
    this.#isStrict = strict === true;
    this.part = this.#cut(wanted.root, shape, 1);
  }

  #cut(node: TreeNode, shape: Shape, depth: number): TreeNode {
    const { elements, above } = this.#wanted;
    if (this.#isStrict && (elements.has(node) || depth === DEPTH_OF_OBJECTS)) return node;
    if (elements.has(node)) return withoutReadOnly(node, shape);
    const kept = node.children.filter((child) => elements.has(child) || above.has(child));
    const children = kept.map((child) => this.#cut(child, shape.child(child.tag), depth + 1));
    const cut = new TreeNode(node.tag, node.name, "", children);
    if (node.name !== undefined) this.partial.add(cut);
    return cut;
  }
}

interface Placed {
  readonly node: TreeNode;
  readonly path: Path;
}

function placesIn(root: TreeNode, kind: DesiredKind): Placed[] {
  const found: Placed[] = [];
  const rest = withoutPlaces({ node: root, path: Path.root.child(root.tag) }, kind, found);
  return [...(rest.children.length === 0 ? [] : [{ node: rest, path: Path.root.child(root.tag) }]), ...found];
}

/** Removes the places below, each for a document of its own. Ancestors that contained nothing else are removed too. */
function withoutPlaces({ node, path }: Placed, kind: DesiredKind, found: Placed[]): TreeNode {
  let changed = false;
  const children = node.children.flatMap((child) => {
    if (child.children.length === 0) return child;
    const at = pathOf(path, child);
    const rest = withoutPlaces({ node: child, path: at }, kind, found);
    const isPlace = child.name !== undefined || path.depth === 1 ? scopeWord(at, kind) !== undefined : false;
    if (isPlace && rest.children.length > 0) found.push({ node: rest, path: at });
    changed ||= rest !== child || isPlace;
    return isPlace || rest.children.length === 0 ? [] : rest;
  });
  return changed ? new TreeNode(node.tag, node.name, node.text, children, node.attributes) : node;
}
