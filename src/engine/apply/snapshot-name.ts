import { createHash } from "node:crypto";
import type { Plan } from "../../plan/model.js";
import type { ApplySession } from "./apply-session.js";
import { formatRun } from "./lock-mark.js";

/**
 * Of the configuration that is saved on the target before a plan is written. No other run has the same: neither a later one
 * of ours, nor one of another owner on the same target.
 */
export function snapshotName({ context, run }: Pick<ApplySession, "context" | "run">, digest: string): string {
  const hash = createHash("sha256").update(JSON.stringify([context.owner, formatRun(run), digest]));
  return `plumbline-before-${hash.digest("hex").slice(0, 12)}`;
}

/** Whether the configuration is saved before this plan is written: only a commit that its checks may take back goes back to it. */
export function savesSnapshot({ writer, context }: Pick<ApplySession, "writer" | "context">, { operations }: Plan): boolean {
  return operations.length > 0 && writer.snapshots !== undefined && context.desired.checks !== undefined;
}
