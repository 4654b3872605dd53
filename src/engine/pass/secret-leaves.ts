import { type Operation, touchedPath } from "../../core/operation.js";
import type { SecretValue } from "../../core/secret.js";
import { pathOf } from "../../core/tree/lookup.js";
import { SecretLeaf, type TreeNode } from "../../core/tree/node.js";
import { Path } from "../../core/tree/path.js";
import { DesiredNode } from "../../desired/model.js";
import type { LedgerRecord } from "../ledger/ledger.js";

/** Stored secrets of a live tree by XPath. Empty if the ledger has no secrets, because walking a large tree takes long. */
export function secretLeaves(root: TreeNode, record: LedgerRecord | undefined): ReadonlyMap<string, SecretLeaf> {
  return record === undefined || Object.keys(record.secrets).length === 0 ? new Map() : allSecretLeaves(root);
}

export function allSecretLeaves(root: TreeNode): Map<string, SecretLeaf> {
  const found = new Map<string, SecretLeaf>();
  walk(root, Path.root.child(root.tag), (node, path) => {
    if (node instanceof SecretLeaf) found.set(path.toString(), node);
  });
  return found;
}

/** Declared secrets at and below `path`, by XPath. `node` is a desired node or the element of an operation. */
export function desiredSecrets(node: TreeNode, path: Path): Map<string, SecretValue> {
  const found = new Map<string, SecretValue>();
  walk(node, path, (at, where) => {
    if (at instanceof DesiredNode && at.handling?.secret !== undefined) found.set(where.toString(), at.handling.secret);
  });
  return found;
}

/** XPaths of the secrets that `${keep}` leaves unchanged. */
export function keptSecrets(root: DesiredNode): ReadonlySet<string> {
  const found = new Set<string>();
  walk(root, Path.root.child(root.tag), (at, where) => {
    if (at instanceof DesiredNode && at.handling?.keep === true) found.add(where.toString());
  });
  return found;
}

/** XPaths of the secrets that operations write. */
export function writtenSecrets(operations: readonly Operation[]): Set<string> {
  const written = new Set<string>();
  for (const operation of operations) {
    if (operation.action !== "set" && operation.action !== "edit") continue;
    const path = touchedPath(operation);
    for (const at of desiredSecrets(operation.element, path).keys()) written.add(at);
  }
  return written;
}

function walk(node: TreeNode, path: Path, visit: (node: TreeNode, path: Path) => void): void {
  visit(node, path);
  for (const child of node.children) walk(child, pathOf(path, child), visit);
}
