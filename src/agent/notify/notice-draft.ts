import type { PlumblineError } from "../../core/errors.js";
import { printable } from "../../core/printable.js";
import { redactUrls } from "../../core/redact-urls.js";
import type { Topic } from "../../desired/configuration/notify.js";
import type { Notice, NoticeState } from "./notice.js";

const MOST_LINES = 5;

/** Text and facts of a notice. Optional facts are unknown by default. */
export type NoticeDraft = Pick<Notice, "title" | "lines" | "look" | "at"> & { readonly topic: Topic } & Partial<Notice>;

/** Returns a state that is reported when it begins. */
export function beganState(subject: string, state: string, draft: NoticeDraft): NoticeState {
  return { audience: "people", subject, state, isUsual: false, notice: noticeOf(draft) };
}

/** Returns the normal state. It is reported only after another state. */
export function usual(subject: string, state: string, draft: NoticeDraft): NoticeState {
  return { audience: "people", subject, state, isUsual: true, notice: noticeOf(draft) };
}

function noticeOf(draft: NoticeDraft): Notice {
  const { lines, by } = draft;
  return {
    target: undefined,
    since: undefined,
    commit: undefined,
    ...draft,
    title: shown(draft.title),
    lines: lines.map(shown),
    by: by === undefined ? undefined : shown(by),
  };
}

function shown(text: string): string {
  return printable(redactUrls(text));
}

export function errorLines({ message, next }: PlumblineError): string[] {
  return next === undefined ? [message] : [message, next];
}

/** Returns the first lines, and a count of the others. */
export function listed(lines: readonly string[]): string[] {
  return lines.length <= MOST_LINES ? [...lines] : [...lines.slice(0, MOST_LINES), `and ${lines.length - MOST_LINES} more`];
}

export function short(commit: string | undefined): string {
  return commit === undefined ? "it" : commit.slice(0, 12);
}

/** Formats a time in UTC, to the minute. */
export function formatMinute(milliseconds: number): string {
  return `${new Date(milliseconds).toISOString().slice(0, 16).replace("T", " ")} UTC`;
}
