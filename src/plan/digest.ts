import { createHash, type Hash } from "node:crypto";
import type { Operation } from "../core/operation.js";
import { canonicalDigest } from "../core/tree/canonical.js";
import { find } from "../core/tree/lookup.js";
import type { TreeNode } from "../core/tree/node.js";
import type { Path } from "../core/tree/path.js";
import type { Shape } from "../core/tree/shape.js";
import type { DesiredNode } from "../desired/model.js";
import type { Change } from "./diff/change.js";

export interface DigestInput {
  readonly format: number;
  readonly target: string;
  readonly desired: DesiredNode;
  readonly live: TreeNode;
  readonly shape: Shape;
  readonly changes: readonly Change[];
  readonly operations: readonly Operation[];
  /** Live objects that the operations come to name. */
  readonly referred: readonly Path[];
}

/**
 * SHA-256 of all that a plan stands on (docs/plan.md#digest): format, target, desired tree, live state of what is owned,
 * written or referred to, operations. Owned live state is hashed as its differences from the desired tree, which with the
 * latter determine it. Trees go in by their own digests, so that the text of none is ever whole in memory. Secrets and unresolved references appear by their labels; attributes that are metadata do not, nor
 * does what the plan neither owns nor touches.
 */
export function planDigest(input: DigestInput): string {
  const hash = createHash("sha256");
  part(hash, "plumbline plan", String(input.format), input.target);
  part(hash, "desired", canonicalDigest(input.desired, input.shape));
  for (const change of input.changes) hashChange(hash, change, input);
  for (const path of input.referred) part(hash, "referred", path.toString(), liveText(path, input));
  for (const operation of input.operations) hashOperation(hash, operation, input);
  return hash.digest("hex");
}

/** Lengths go before texts, so that no two sequences of parts run together into one. */
function part(hash: Hash, ...texts: readonly string[]): void {
  for (const text of texts) hash.update(`${text.length}:`).update(text);
}

function hashChange(hash: Hash, change: Change, input: DigestInput): void {
  part(hash, "change", change.kind, change.path.toString());
  if (change.kind === "order") part(hash, ...change.before, "to", ...change.after);
  else if (change.kind === "renamed") {
    part(hash, change.from, change.to);
    if (change.path.parent !== undefined) part(hash, liveText(change.path.parent.entry(change.from, change.path.tag), input));
  } else if (change.kind !== "missing") part(hash, canonicalDigest(change.before, shapeAt(change.path, input.shape)));
}

function hashOperation(hash: Hash, operation: Operation, { shape }: DigestInput): void {
  part(hash, "operation", operation.action, operation.at.toString());
  switch (operation.action) {
    case "set":
      part(hash, canonicalDigest(operation.element, shapeAt(operation.at, shape).child(operation.element.tag)));
      break;
    case "edit":
      part(hash, canonicalDigest(operation.element, shapeAt(operation.at, shape)));
      break;
    case "move":
      part(hash, operation.where, "anchor" in operation ? operation.anchor : "");
      break;
    case "rename":
      part(hash, operation.newName);
      break;
    case "delete":
      break;
  }
}

function liveText(path: Path, { live, shape }: DigestInput): string {
  const node = find(live, path);
  return node === undefined ? "" : canonicalDigest(node, shapeAt(path, shape));
}

/** The shape at a path; `root` is the root element's. */
export function shapeAt(path: Path, root: Shape): Shape {
  return path
    .steps()
    .slice(1)
    .reduce((shape, step) => shape.child(step.tag), root);
}
