import type { Refusal } from "../plan/model.js";
import type { RunFacts } from "./context.js";

const GUARD = "follows";

/** Refuses deletions on a target that follows another one, if the other one failed in this run. */
export function refuseBlocked({ blockedBy, allow, plan: { changes } }: RunFacts): Refusal[] {
  const extra = changes.find(({ kind }) => kind === "extra");
  if (extra === undefined || blockedBy.length === 0 || allow.has(GUARD)) return [];
  const names = blockedBy.join(", ");
  const message = `${names}, which this target follows, is not finished. Deletions on this target wait for it.`;
  return [{ guard: GUARD, message, path: extra.path, allow: `--allow ${GUARD}` }];
}
