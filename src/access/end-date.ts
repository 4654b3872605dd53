/** One member of a list that ends before its rule or group: `source web-03`. */
export interface EndingMember {
  /** List that contains it: a field of a rule, or `static` of an address group. */
  readonly list: string;
  readonly name: string;
}

/** An end date in a description. Without a member, the complete rule ends. */
export interface EndDate {
  /** Last day, yyyy-mm-dd. */
  readonly until: string;
  readonly member: EndingMember | undefined;
}

const END = /\[until (\d{4}-\d\d-\d\d)(?: for ([a-z-]+) ([^\][]+))?\]/g;
const DISABLED = / ?\[disabled (\d{4}-\d\d-\d\d)\]/g;

/** Returns the end date of a rule as it is written in its description: `[until 2027-03-31]`. */
export function formatEndDate(until: string): string {
  return `[until ${until}]`;
}

/** Returns the end dates in a description. Dates that the calendar does not have are omitted. */
export function endDatesIn(description: string): EndDate[] {
  return [...description.matchAll(END)].flatMap(([, until = "", list, name]) =>
    isDate(until) ? [{ until, member: list === undefined || name === undefined ? undefined : { list, name } }] : [],
  );
}

/** Returns a note in which each end date is the end of a member: `[until 2027-03-31 for source web-03]`. */
export function noteOfMember(note: string, { list, name }: EndingMember): string {
  return note.replaceAll(END, (text, until: string, known?: string) =>
    known === undefined ? `[until ${until} for ${list} ${name}]` : text,
  );
}

/** Returns a description without the end date of a member. */
export function withoutEndDate(description: string, { list, name }: EndingMember): string {
  return description.replaceAll(END, (text, _, ofList, ofName) => (ofList === list && ofName === name ? "" : text)).trim();
}

/** Returns a description with the day on which the rule was disabled: `[disabled 2026-11-29]`. */
export function withDisabledDate(description: string, day: string): string {
  return `${description.replaceAll(DISABLED, "")} [disabled ${day}]`.trim();
}

/** Returns the day on which `lint --fix --disable` disabled a rule. Undefined if its description has none. */
export function disabledDateIn(description: string): string | undefined {
  const [, day] = [...description.matchAll(DISABLED)].at(-1) ?? [];
  return day !== undefined && isDate(day) ? day : undefined;
}

/** Returns whether the calendar has a day, written as yyyy-mm-dd. */
export function isDate(text: string): boolean {
  const time = /^\d{4}-\d\d-\d\d$/.test(text) ? new Date(`${text}T00:00:00Z`) : undefined;
  return time !== undefined && !Number.isNaN(time.getTime()) && time.toISOString().slice(0, 10) === text;
}
