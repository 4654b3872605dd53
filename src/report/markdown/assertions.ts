import type { Command, TargetOutcome } from "../../outcome/outcome.js";
import { assertionSentence, assertionSummary, unsettled } from "../assertions.js";
import { prose } from "./text.js";

/** Assertions that do not hold, a line each; `%` stands for the targets. */
export function assertionNotices(outcome: TargetOutcome, command: Command): string[] {
  return unsettled(outcome).map((judged) => `- 📌 **assertion** on %: ${prose(assertionSentence(judged, command))}`);
}

/** How many hold. */
export function assertionNotes({ assertions = [] }: TargetOutcome): string[] {
  return assertions.length === 0 ? [] : [`- **assertions** ${prose(assertionSummary(assertions))}`];
}
