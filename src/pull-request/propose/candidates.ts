import type { DriftItem } from "../../outcome/outcome.js";
import type { Survey } from "./survey.js";

/** One difference of one target. */
export interface Candidate {
  readonly survey: Survey;
  readonly item: DriftItem;
}

/** Difference that is not proposed, with the reason. */
export interface Refused extends Candidate {
  readonly why: string;
}

export function candidatesOf(surveys: readonly Survey[]): Candidate[] {
  return surveys.flatMap((survey) => survey.drift.items.map((item) => ({ survey, item })));
}
