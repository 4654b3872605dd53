import { TreeNode } from "../../core/tree/node.js";
import type { Shape } from "../../core/tree/shape.js";

/**
 * Kinds of content of one `set`. A `set` never spans two lists that define objects, and never contains both sides of a new reference. So it
 * contains either parts of one defining list or referring parts, plus any parts of neither kind.
 */
export const MODES = [0, 1, 2] as const;
export type PartKind = (typeof MODES)[number];
/** Parts that neither define nor refer, and all parts of an entry in a defining list, seen from inside the entry. */
export const PLAIN: PartKind = 0;
export const REFERRING: PartKind = 1;
export const DEFINING: PartKind = 2;

/** Returns whether all content of a list's entries belongs to the list. Entries that are scopes contain lists of their own instead. */
export function isDefiningList(shape: Shape): boolean {
  return shape.kind === "list" && shape.defines !== undefined && !shape.child("entry").scope;
}

/** The mode of a `set` with new content, or the several sets that share the content. */
export type Content = { readonly mode: PartKind } | { readonly slices: readonly { readonly mode: PartKind; readonly element: TreeNode }[] };

/** A part of new content that one `set` contains completely. */
interface Part {
  readonly mode: PartKind;
  /** Containers around it, outermost first. */
  readonly frames: readonly TreeNode[];
  readonly node: TreeNode;
}

/** Classifies new content. `above` is the shape of the parent of `element`: the references of members are defined by their list. */
export function contentOf(element: TreeNode, shape: Shape, above: Shape): Content {
  const parts: Part[] = [];
  collect(element, shape, above, [], parts);
  const lists = parts.filter((part) => part.mode === DEFINING).length;
  const refers = parts.some((part) => part.mode === REFERRING);
  if (lists === 0) return { mode: refers ? REFERRING : PLAIN };
  if (lists === 1 && !refers) return { mode: DEFINING };
  return { slices: slice(parts, refers) };
}

function collect(node: TreeNode, shape: Shape, above: Shape, frames: readonly TreeNode[], parts: Part[]): void {
  if (isDefiningList(shape)) parts.push({ mode: DEFINING, frames, node });
  else if (isEntryPart(node, shape) || node.children.length === 0 || shape.kind === "members") {
    parts.push({ mode: refers(node, shape, above) ? REFERRING : PLAIN, frames, node });
  } else {
    const within = [...frames, node];
    for (const child of node.children) collect(child, shape.child(child.tag), shape, within, parts);
  }
}

/** Returns whether the node is an entry that is created completely. Scopes and structural entries are containers instead. */
function isEntryPart(node: TreeNode, shape: Shape): boolean {
  return node.name !== undefined && !shape.scope && !shape.structural;
}

function refers(node: TreeNode, shape: Shape, above: Shape): boolean {
  if (shape.references.length > 0 || (node.tag === "member" && above.references.length > 0)) return true;
  return node.children.some((child) => refers(child, shape.child(child.tag), shape));
}

/**
 * Returns one slice per defining list and one for referring parts. The other parts are in the first slice. Each repeats the containers
 * around its parts.
 */
function slice(parts: readonly Part[], refers: boolean): { mode: PartKind; element: TreeNode }[] {
  const groups: { mode: PartKind; parts: Part[] }[] = parts
    .filter((part) => part.mode === DEFINING)
    .map((part) => ({ mode: DEFINING, parts: [part] }));
  if (refers) groups.push({ mode: REFERRING, parts: parts.filter((part) => part.mode === REFERRING) });
  groups[0]?.parts.push(...parts.filter((part) => part.mode === PLAIN));
  return groups.map((group) => ({ mode: group.mode, element: assemble(new Set(group.parts), 0) }));
}

/** Puts the parts into their common containers. */
function assemble(parts: ReadonlySet<Part>, depth: number): TreeNode {
  const [first] = parts;
  const frame = first?.frames[depth];
  if (first === undefined || frame === undefined) return first?.node ?? new TreeNode("");
  const groups = new Map<TreeNode, Set<Part>>();
  for (const part of parts) {
    const next = part.frames[depth + 1] ?? part.node;
    const group = groups.get(next) ?? new Set();
    groups.set(next, group.add(part));
  }
  const children = [...groups.values()].map((group) => assemble(group, depth + 1));
  return new TreeNode(frame.tag, frame.name, "", children, frame.attributes);
}
