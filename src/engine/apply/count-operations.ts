import { PlumblineError } from "../../core/errors.js";
import type { Operation } from "../../core/operation.js";
import { writtenSecrets } from "../pass/secret-leaves.js";
import type { ApplySession, TargetSession } from "./apply-session.js";

/** Counts operations that one call of the writer carried out. */
export function countOperations(session: Pick<ApplySession, "ledger" | "progress">, operations: readonly Operation[]): void {
  session.progress.requests += 1;
  session.progress.operations += operations.length;
  session.ledger.uncountedDeletes += operations.filter((operation) => operation.action === "delete").length;
  for (const path of writtenSecrets(operations)) session.ledger.writtenSecrets.add(path);
}

/**
 * Stops the run between two steps if requested.
 * @throws PlumblineError `interrupted`; the caller restores uncommitted changes.
 */
export function throwIfRunStopped({ context, target }: TargetSession): void {
  if (context.options.stop?.aborted !== true) return;
  throw new PlumblineError("interrupted", "The run was stopped", {
    where: { target: target.name },
    next: "Run again: it continues from the current state.",
  });
}
