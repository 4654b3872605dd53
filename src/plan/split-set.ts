import type { Operation } from "../core/operation.js";
import { TreeNode } from "../core/tree/node.js";
import type { Path } from "../core/tree/path.js";
import type { Shape } from "../core/tree/shape.js";
import type { Piece } from "./atom.js";

/**
 * Returns the parts of a `set` that can be written separately: complete entries, and leaves or member lists outside them. Containers and
 * structural entries are repeated around each part. `shape` is the element's.
 */
export function splitSet(element: TreeNode, shape: Shape): Piece[] {
  const pieces: Piece[] = [];
  collect(element, shape, [], pieces);
  return pieces;
}

function collect(node: TreeNode, shape: Shape, above: readonly TreeNode[], pieces: Piece[]): void {
  if (node.children.length === 0 || !isFrame(shape)) {
    pieces.push({ above, node });
    return;
  }
  const within = [...above, node];
  for (const child of node.children) collect(child, shape.child(child.tag), within, pieces);
}

function isFrame(shape: Shape): boolean {
  return shape.kind === "container" || shape.kind === "list" || (shape.kind === "entry" && shape.structural);
}

/** Returns the `set` for one part. */
export function pieceOperation(at: Path, { above, node }: Piece): Operation {
  return { action: "set", at, element: above.reduceRight((inner, frame) => framed(frame, [inner]), node) };
}

/** Returns the `set` for several parts of one fragment, in the given order. Common containers are written once. */
export function joinPieces(at: Path, pieces: readonly Piece[]): Operation {
  return { action: "set", at, element: join(pieces, 0) };
}

function join(pieces: readonly Piece[], depth: number): TreeNode {
  const first = pieces[0];
  if (first === undefined) throw new Error("no pieces to join");
  const frame = first.above[depth];
  if (frame === undefined) return first.node;
  const groups = new Map<TreeNode, Piece[]>();
  for (const piece of pieces) {
    const next = piece.above[depth + 1] ?? piece.node;
    const group = groups.get(next);
    if (group === undefined) groups.set(next, [piece]);
    else group.push(piece);
  }
  return framed(
    frame,
    [...groups.values()].map((group) => join(group, depth + 1)),
  );
}

function framed(frame: TreeNode, children: readonly TreeNode[]): TreeNode {
  return new TreeNode(frame.tag, frame.name, "", children, frame.attributes);
}
