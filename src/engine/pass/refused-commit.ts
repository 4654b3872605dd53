import type { Plan, Refusal } from "../../plan/model.js";
import { operationsDigest } from "../apply/operations-digest.js";
import type { LedgerRecord } from "../ledger.js";
import type { TargetContext } from "./context.js";

/** What `--allow refused-commit=` says of a state of files that no commit names. */
const UNNAMED = "here";

/** A commit of the desired state that its checks took back is not applied again until git moves. */
export function refuseTakenBack(record: LedgerRecord | undefined, { checkout, options }: TargetContext, plan: Plan): Refusal[] {
  const refused = record?.refused;
  if (refused === undefined || plan.operations.length === 0) return [];
  const byCommit = refused.commit !== undefined && !checkout.dirty;
  const isSame = byCommit ? refused.commit === checkout.commit : refused.operations === operationsDigest(plan);
  if (!isSame) return [];
  const allowed = options.allow.get("refused-commit");
  if (allowed !== undefined && (refused.commit ?? UNNAMED).startsWith(allowed)) return [];
  const message = `this was applied before and taken back: ${refused.why}`;
  const allow = `--allow refused-commit=${refused.commit?.slice(0, 8) ?? UNNAMED}`;
  return [{ guard: "refused-commit", message, path: undefined, allow }];
}
