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

/** Which elements of a tree are to be declared. */
export interface Wanted {
  readonly root: TreeNode;
  readonly elements: ReadonlySet<TreeNode>;
  /** All elements around those, up to the root. */
  readonly above: ReadonlySet<TreeNode>;
}

/** Elements of a tree, as desired state says them. */
export interface Declaration {
  /** YAML, one for each place that something stands at; each can be saved as a file of its own. */
  readonly documents: readonly string[];
  /** Entries that no document can say: the platform's own. */
  readonly left: number;
}

/**
 * Writes elements as documents for `target`, each hung as deep as a `scope:` reaches, `comment` above each. What only the
 * platform writes is left out. An entry of which a part is wanted says `$partial`; objects of a strict kind are said whole.
 */
export function declare(target: string, wanted: Wanted, kind: DesiredKind, comment: string): Declaration {
  const cut = new Cut(wanted, kind);
  const { part, unmarked, left } = sayable(cut.part, kind);
  const placed = placesIn(part, kind);
  for (const { node } of placed) cut.partial.delete(node);
  const refused = kind.fields === undefined ? undefined : refusedNodes(part, kind.fields());
  // Of them a part alone is said.
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

/** Objects of a strict kind stand in the lists below the root. */
const DEPTH_OF_OBJECTS = 3;

/** A tree with nothing in it but what is wanted and the way to it. */
class Cut {
  readonly part: TreeNode;
  /** Entries of which a part alone is in it. */
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

/** Takes the places below out, each to hang its own document at; ways that held nothing else are gone with them. */
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
