import { isSettled, type JudgedAssertion } from "../outcome/assertion.js";
import type { TargetOutcome } from "../outcome/outcome.js";
import { assertionSentence } from "../report/assertions.js";
import type { PassFacts } from "./events.js";
import type { Visit, VisitParts } from "./visit-parts.js";

/** Reports each assertion whose state has changed since the last report. An assertion that holds from the start is not reported. */
export async function reportAssertions(
  { state }: Pick<Visit, "state">,
  facts: PassFacts,
  outcome: TargetOutcome,
  parts: VisitParts,
): Promise<void> {
  const { assertions } = outcome;
  const isOfLiveState = outcome.drift !== undefined || outcome.applied?.proven === true;
  if (assertions === undefined || !isOfLiveState) return;
  const before = state.reportedAssertions;
  state.reportedAssertions = new Map(assertions.map((judged) => [keyOf(judged), judged.state]));
  for (const judged of assertions) {
    const reported = before?.get(keyOf(judged));
    if (reported === judged.state || (reported === undefined && isSettled(judged))) continue;
    await parts.events.emit({ type: "assertion-changed", ...facts, judged });
  }
}

const keyOf = ({ name, scope }: JudgedAssertion): string => `${scope} ${name}`;

/** Formats `"db-only-postgres" is broken by a manual change; web > db …; by rule web-to-db, by alice`. */
export function assertionText(judged: JudgedAssertion): string {
  return judged.state === "holds" ? `"${judged.name}" holds again` : assertionSentence(judged, "drift");
}
