import { Cron } from "croner";
import type { WindowSettings } from "../desired/configuration/agent.js";
import { PlumblineError } from "../errors.js";

interface Window extends WindowSettings {
  readonly schedule: Cron;
}

/** Whether a target may be written now; `until` is when that changes, as far as one window can tell. */
export type Opening = { readonly open: true } | { readonly open: false; readonly reason: string; readonly until: number | undefined };

/** Times in which targets may be written: inside some `allow`, where there is any, and outside every `deny`. */
export class Windows {
  readonly #windows: readonly Window[];

  /** @throws PlumblineError `window-invalid` for what cron does not understand, or an unknown time zone. */
  constructor(settings: readonly WindowSettings[]) {
    this.#windows = settings.map((each) => ({ ...each, schedule: parse(each) }));
  }

  at(target: string, now: number): Opening {
    const mine = this.#windows.filter(({ targets }) => targets === undefined || targets.includes(target));
    for (const window of mine) {
      const began = window.kind === "deny" ? beginning(window, now) : undefined;
      if (began !== undefined) return { open: false, reason: `denied by ${describe(window)}`, until: began + window.duration };
    }
    const allowing = mine.filter(({ kind }) => kind === "allow");
    if (allowing.length === 0 || allowing.some((window) => beginning(window, now) !== undefined)) return { open: true };
    const openings = allowing.map((window) => window.schedule.nextRun(new Date(now))?.getTime()).filter((time) => time !== undefined);
    return { open: false, reason: "no change window is open", until: openings.length === 0 ? undefined : Math.min(...openings) };
  }
}

/** When the window that covers `now` began: its next beginning, seen from one duration ago, is not later than now. */
function beginning({ schedule, duration }: Window, now: number): number | undefined {
  const began = schedule.nextRun(new Date(now - duration))?.getTime();
  return began !== undefined && began <= now ? began : undefined;
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
