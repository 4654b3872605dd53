import { PlumblineError } from "../../core/errors.js";
import type { Operation } from "../../core/operation.js";
import { writtenSecrets } from "../pass/secret-leaves.js";
import type { ApplySession } from "./apply-session.js";

/** Notes operations that were carried out by one call of the writer. */
export function count(session: ApplySession, operations: readonly Operation[]): void {
  session.requests += 1;
  session.operations += operations.length;
  session.deletes += operations.filter((operation) => operation.action === "delete").length;
  for (const path of writtenSecrets(operations)) session.written.add(path);
}

/** @throws PlumblineError `interrupted` between two steps; what stands uncommitted is put back. */
export function goOnUnlessStopped({ context, target }: ApplySession): void {
  if (context.options.stop?.aborted !== true) return;
  throw new PlumblineError("interrupted", "The run was asked to stop", {
    where: { target: target.name },
    next: "Run again: it goes on from what stands.",
  });
}
