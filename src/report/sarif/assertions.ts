import type { Command, TargetOutcome } from "../../outcome/outcome.js";
import { assertionSentence, unsettled } from "../assertions.js";
import { sarifPlace } from "./location.js";
import type { Result } from "./sarif.js";

/** Returns the assertions that do not hold, at the line that declares them. */
export function assertionResults(command: Command, outcome: TargetOutcome): Result[] {
  return unsettled(outcome).map((judged): Result => {
    const { name, scope, state, isByChange, strict, where } = judged;
    const { file, line = 1, column = 1 } = where;
    return {
      ruleId: `assertion/${state}`,
      level: isByChange || strict || state === "empty" ? "error" : "warning",
      message: `${outcome.target} ${scope}: ${assertionSentence(judged, command)}`,
      place: sarifPlace(outcome, file === undefined ? undefined : { file, line, column }),
      subject: `${outcome.target} ${scope} ${name}`,
    };
  });
}
