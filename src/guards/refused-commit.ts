import type { Refusal } from "../plan/model.js";
import type { RunFacts } from "./context.js";

const GUARD = "refused-commit";

/** Value of `--allow refused-commit=` for files that are not a commit. */
const UNNAMED = "here";

/** Refuses to apply a change again that checks rolled back, until the desired state at these places changes. */
export function refuseReverted({ rolledBack, allow }: RunFacts): Refusal[] {
  if (rolledBack === undefined) return [];
  const { commit, why } = rolledBack;
  const allowed = allow.commit(GUARD);
  if (allowed !== undefined && (commit ?? UNNAMED).startsWith(allowed)) return [];
  const flag = `--allow ${GUARD}=${commit?.slice(0, 8) ?? UNNAMED}`;
  return [{ guard: GUARD, message: `this change was applied before and rolled back: ${why}`, path: undefined, allow: flag }];
}
