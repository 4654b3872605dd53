import type { Command, TargetOutcome } from "../../outcome/outcome.js";
import { assertionSentence, assertionSummary, unsettled } from "../assertions.js";
import { prose } from "./text.js";

/** Returns one line for each assertion that does not hold. `%` is the placeholder for the targets. */
export function assertionNotices(outcome: TargetOutcome, command: Command): string[] {
  return unsettled(outcome).map((judged) => `- 📌 **assertion** on %: ${prose(assertionSentence(judged, command))}`);
}

/** Returns the summary of the assertions. */
export function assertionNotes({ assertions = [] }: TargetOutcome): string[] {
  return assertions.length === 0 ? [] : [`- **assertions** ${prose(assertionSummary(assertions))}`];
}
