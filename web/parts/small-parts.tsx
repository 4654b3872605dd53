import { age } from "../../src/report/format-duration.ts";
import type { Filter } from "../data/filter.ts";
import { STATE_SIGNS } from "../data/state-labels.ts";
import { moment } from "../data/time.ts";

export function StatePill({ state }: { readonly state: Filter }) {
  const { mark, word } = STATE_SIGNS[state];
  return (
    <span class={`pill is-${state}`}>
      <span aria-hidden="true" class="pill-mark">
        {mark}
      </span>
      {word}
    </span>
  );
}

/** Shows an age, with the time as a tooltip. Both values are in seconds. */
export function Ago({ at, now, suffix = "" }: { readonly at: number; readonly now: number; readonly suffix?: string }) {
  if (at === 0) return <span class="dim">–</span>;
  return (
    <time dateTime={new Date(at * 1000).toISOString()} title={moment(at)}>
      {shortAge(now - at)}
      {suffix}
    </time>
  );
}

/** Omits seconds after the first minute. */
export function shortAge(seconds: number): string {
  const whole = seconds < 60 ? seconds : seconds - (seconds % 60);
  return age(Math.max(0, whole) * 1000);
}

export function Empty({ title, text }: { readonly title: string; readonly text: string }) {
  return (
    <div class="empty">
      <p class="empty-title">{title}</p>
      <p>{text}</p>
    </div>
  );
}
