import { createHash, type Hash } from "node:crypto";
import type { Operation } from "../core/operation.js";
import { canonicalDigest } from "../core/tree/canonical.js";
import { find, shapeAt } from "../core/tree/lookup.js";
import type { TreeNode } from "../core/tree/node.js";
import type { Path } from "../core/tree/path.js";
import type { Shape } from "../core/tree/shape.js";
import type { DesiredNode } from "../desired/model.js";
import type { Change } from "./diff/change.js";

export interface DigestInput {
  readonly format: number;
  readonly target: string;
  /** Undefined if the device does not report its identity. */
  readonly device?: string | undefined;
  readonly desired: DesiredNode;
  readonly live: TreeNode;
  readonly shape: Shape;
  readonly changes: readonly Change[];
  readonly operations: readonly Operation[];
  /** Live objects that the operations newly refer to. */
  readonly referred: readonly Path[];
  /** Differences of running, if the only thing to do is a commit of the candidate. */
  readonly uncommitted: readonly Change[];
}

export interface PlanDigests {
  readonly digest: string;
  readonly effect: string;
}

/**
 * `digest`: SHA-256 of all inputs of a plan (docs/contributing/plan.md#digest): format, target, device, desired tree, operations, and live state that is
 * owned, written or referred to. Owned live state is hashed as its differences from the desired tree, which determine it. Trees are hashed
 * by their own digests, so that their text is never completely in memory. Secrets and unresolved references appear by their labels.
 * Metadata attributes and nodes that the plan neither owns nor touches are not hashed.
 *
 * `effect`: the same without the desired tree, plus the uncommitted changes. Two commits that lead to the same work have the same `effect`.
 */
export function planDigests(input: DigestInput): PlanDigests {
  const [digest, effect] = [createHash("sha256"), createHash("sha256")];
  part(digest, "plumbline plan", String(input.format), input.target);
  part(digest, "desired", canonicalDigest(input.desired, input.shape));
  hashWork(digest, input);
  part(effect, "plumbline effect", String(input.format), input.target);
  hashWork(effect, input);
  for (const change of input.uncommitted) hashUncommitted(effect, change, input);
  return { digest: digest.digest("hex"), effect: effect.digest("hex") };
}

function hashWork(hash: Hash, input: DigestInput): void {
  if (input.device !== undefined) part(hash, "device", input.device);
  for (const change of input.changes) hashChange(hash, change, input);
  for (const path of input.referred) part(hash, "referred", path.toString(), liveText(path, input));
  for (const operation of input.operations) hashOperation(hash, operation, input);
}

/** Hashes the running state: its differences from the candidate, which already equals desired state. */
function hashUncommitted(hash: Hash, change: Change, input: DigestInput): void {
  part(hash, "uncommitted", change.kind, change.path.toString(), liveText(change.path, input));
  if (change.kind === "order") part(hash, ...change.before, "to", ...change.after);
  else if (change.kind === "renamed") part(hash, change.from, change.to);
  else if (change.kind !== "missing") part(hash, canonicalDigest(change.before, shapeAt(change.path, input.shape)));
}

/** Hashes each text after its length, so that different sequences of parts cannot give the same bytes. */
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
