import type { Ignore } from "../desired/model.js";
import { type TargetContext, today } from "./pass/context.js";

/** Ignores of a target whose last day is over. */
export function expiredIgnores(context: TargetContext): readonly Ignore[] {
  const day = today(context);
  return context.desired.ignores.filter(({ until }) => until !== undefined && until < day);
}

/** Warnings for read-only runs. They show the differences that the ignores hid; plans are refused. */
export function expiredWarnings(context: TargetContext): string[] {
  return expiredIgnores(context).map(
    ({ path, until, owner, reason }) =>
      `the ignore of ${path} ended on ${until} (${owner}: ${reason}): its differences are reported again, and plans are refused until it is renewed or removed`,
  );
}
