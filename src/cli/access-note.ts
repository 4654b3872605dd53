import { formatEndDate, isDate } from "../access/end-date.js";
import { dayOf } from "../core/day.js";
import { PlumblineError } from "../core/errors.js";

interface NoteParts {
  readonly reason: string;
  readonly requester?: string | undefined;
  readonly until?: string | undefined;
}

const LONGEST_NOTE = 400;

/** Returns the text for the description of a rule. Throws `option-invalid`. */
export function noteOf({ reason, requester, until }: NoteParts, now: Date): string {
  const today = dayOf(now);
  if (until !== undefined && (!isDate(until) || until < today))
    throw invalid(`The end date ${until} is not a date from today on.`, "Write it as yyyy-mm-dd.");
  const parts = [reason.trim(), ...(requester === undefined ? [] : [`requested by ${requester.trim()}`])];
  const note = [parts.join(", "), ...(until === undefined ? [] : [formatEndDate(until)])].join(" ");
  if (reason.trim() === "" || /\p{Cc}/u.test(note) || note.length > LONGEST_NOTE)
    throw invalid("The reason and the requester must be one line of text.", `Use at most ${LONGEST_NOTE} characters.`);
  return note;
}

function invalid(problem: string, next: string): PlumblineError {
  return new PlumblineError("option-invalid", problem, { next });
}
