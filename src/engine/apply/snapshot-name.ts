import { createHash } from "node:crypto";
import type { Plan } from "../../plan/model.js";
import type { ApplySession } from "./apply-session.js";
import { formatRun } from "./lock-mark.js";

/** Returns the name of the configuration that is saved on the target before a plan is written. Unique for each run and owner. */
export function snapshotName({ context, run }: Pick<ApplySession, "context" | "run">, digest: string): string {
  const hash = createHash("sha256").update(JSON.stringify([context.owner, formatRun(run), digest]));
  return `plumbline-before-${hash.digest("hex").slice(0, 12)}`;
}

/** Returns false for a name that no run can have saved. The ledger must not make a run remove another configuration. */
export function isSnapshotName(name: string): boolean {
  return /^plumbline-before-[0-9a-f]{12}$/.test(name);
}

/** Returns true if a snapshot is saved before this plan is written. Only the rollback after failed checks uses it. */
export function savesSnapshot({ writer, context }: Pick<ApplySession, "writer" | "context">, { operations }: Plan): boolean {
  return operations.length > 0 && writer.snapshots !== undefined && context.desired.checks !== undefined;
}
