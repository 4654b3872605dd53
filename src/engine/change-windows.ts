import { Cron } from "croner";
import { PlumblineError } from "../core/errors.js";
import type { WindowSettings } from "../desired/configuration/agent.js";

const DAY = 24 * 3_600_000;
/** Upper limit of a change of a time zone's offset, in milliseconds. */
const MOST_MOVED = 3 * 3_600_000;

interface Window extends WindowSettings {
  readonly schedule: Cron;
}

/** Reports whether a target may be written now. `until` is the time of the next change, as far as one window shows it. */
export type Opening = { readonly open: true } | { readonly open: false; readonly reason: string; readonly until: number | undefined };

/** Change windows of targets: inside some `allow`, if there are any, and outside every `deny`. */
export class Windows {
  readonly #windows: readonly Window[];

  /** @throws PlumblineError `window-invalid` for an invalid cron expression or an unknown time zone. */
  constructor(settings: readonly WindowSettings[]) {
    this.#windows = settings.map((each) => ({ ...each, schedule: parse(each) }));
  }

  at(target: string, now: number): Opening {
    const mine = this.#windows.filter(({ targets }) => targets === undefined || targets.includes(target));
    for (const window of mine) {
      const until = window.kind === "deny" ? endOf(window, now) : undefined;
      if (until !== undefined) return { open: false, reason: `denied by ${describe(window)}`, until };
    }
    const allowing = mine.filter(({ kind }) => kind === "allow");
    if (allowing.length === 0 || allowing.some((window) => endOf(window, now) !== undefined)) return { open: true };
    const openings = allowing.map((window) => window.schedule.nextRun(new Date(now))?.getTime()).filter((time) => time !== undefined);
    return { open: false, reason: "no change window is open", until: openings.length === 0 ? undefined : Math.min(...openings) };
  }
}

/** Returns the end of the window that covers `now`. If several do, the end of the first one. */
function endOf(window: Window, now: number): number | undefined {
  let began = next(window, now - window.duration - (isOfDays(window) ? MOST_MOVED : 0));
  while (began !== undefined && began <= now) {
    const end = ending(window, began);
    if (end > now) return end;
    began = next(window, began);
  }
  return undefined;
}

function next({ schedule }: Window, after: number): number | undefined {
  return schedule.nextRun(new Date(after))?.getTime();
}

function isOfDays({ duration }: Window): boolean {
  return duration % DAY === 0;
}

/** Durations in hours are exact. Durations in days follow the calendar, also across changes of the clock. */
function ending(window: Window, began: number): number {
  const { duration, timeZone } = window;
  const plain = began + duration;
  return isOfDays(window) ? plain + offset(timeZone, began) - offset(timeZone, plain) : plain;
}

/** Milliseconds that the clocks of a time zone are ahead of UTC. */
function offset(timeZone: string, time: number): number {
  const names = { year: "numeric", month: "2-digit", day: "2-digit", hour: "2-digit", minute: "2-digit", second: "2-digit" } as const;
  const parts = new Intl.DateTimeFormat("en-US", { ...names, timeZone, hourCycle: "h23" }).formatToParts(time);
  const part = (type: Intl.DateTimeFormatPartTypes) => Number(parts.find((each) => each.type === type)?.value);
  const local = Date.UTC(part("year"), part("month") - 1, part("day"), part("hour"), part("minute"), part("second"));
  return local - Math.floor(time / 1000) * 1000;
}

function describe({ kind, cron, timeZone }: Window): string {
  return `the window ${kind}: "${cron}" (${timeZone})`;
}

function parse({ cron, timeZone }: WindowSettings): Cron {
  try {
    const schedule = new Cron(cron, { timezone: timeZone, paused: true });
    schedule.nextRun();
    return schedule;
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new PlumblineError("window-invalid", `The window "${cron}" in time zone ${timeZone} cannot be understood: ${why}`, {
      next: 'Write five fields, minute hour day month weekday, such as "0 22 * * 1-5", and a time zone such as Europe/Budapest.',
      cause,
    });
  }
}
