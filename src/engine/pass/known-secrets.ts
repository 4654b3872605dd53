import { withSecretsAt } from "../../core/tree/known-secrets.js";
import type { Path } from "../../core/tree/path.js";
import { parsePath } from "../../core/tree/xpath/xpath.js";
import type { LedgerRecord } from "../ledger/ledger.js";
import type { ReadTarget } from "../target.js";

/**
 * Makes the target return values that the ledger lists as secrets as secrets. A device that shows such a value in plain text continues to
 * do so after the reference is removed from the desired state.
 */
export function protectKnownSecrets(target: Pick<ReadTarget, "read">, record: LedgerRecord | undefined): void {
  const paths = secretPaths(record);
  if (paths.length === 0) return;
  const read = target.read.bind(target);
  target.read = async (subtrees, view, onDoubt) => withSecretsAt(await read(subtrees, view, onDoubt), paths);
}

function secretPaths(record: LedgerRecord | undefined): Path[] {
  const known = new Set([...Object.keys(record?.secrets ?? {}), ...Object.keys(record?.watch?.before.secrets ?? {})]);
  return [...known].map((path) => parsePath(path));
}
