import type { Refusal } from "../plan/model.js";

/** Name of the guard. */
export const WINDOW = "window";

/** A closed change window. */
export interface ClosedWindow {
  readonly reason: string;
  /** When it opens, in milliseconds since 1970. Undefined if it does not. */
  readonly until: number | undefined;
  readonly isAllowed: boolean;
}

/** Refuses to write outside the change windows. */
export function refuseClosedWindow({ reason, until, isAllowed }: ClosedWindow): Refusal[] {
  if (isAllowed) return [];
  const end = until === undefined ? "" : `, until ${new Date(until).toISOString()}`;
  return [{ guard: WINDOW, message: `${reason}${end}`, path: undefined, allow: `--allow ${WINDOW}` }];
}
