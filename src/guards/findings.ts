import type { Refusal } from "../plan/model.js";
import type { GuardContext } from "./context.js";

/** Refuses plans that rely on expired ignores, and turns refusing findings into refusals. */
export function refuseUnsureGround(context: GuardContext): Refusal[] {
  return [...expiredIgnores(context), ...refusingFindings(context)];
}

function expiredIgnores({ input, allow }: GuardContext): Refusal[] {
  const expired = input.desired.ignores.filter(({ until }) => until !== undefined && until < input.today);
  if (expired.length <= allow.count("expired-ignores")) return [];
  return expired.map((ignore) => ({
    guard: "expired-ignores",
    message: `The ignore of ${ignore.path} ended on ${ignore.until} (${ignore.owner}: ${ignore.reason}). Renew it or take it away.`,
    path: undefined,
    allow: `--allow expired-ignores=${expired.length}`,
  }));
}

function refusingFindings({ findings }: GuardContext): Refusal[] {
  return findings
    .filter((finding) => finding.refuses)
    .map(({ kind, message, path, origin }) => {
      // A document's place has no node that knows its origin.
      return { guard: kind, message, path, allow: undefined, ...(origin < 0 ? {} : { origin }) };
    });
}
