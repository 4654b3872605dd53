import { readJson } from "../../core/json/read-json.js";
import type { Approval, Pause, Resume } from "../pause.js";
import { NewerFormat } from "./newer-format.js";

/** Key of pauses and approvals in the store. Target names cannot contain a colon. */
export const NOTICES = ":notices";

/** Pauses and approvals of one owner, as they are written. */
export interface NoticeText {
  readonly format: 1;
  readonly pauses: readonly Pause[];
  readonly approvals: readonly Approval[];
  readonly resumes?: readonly Resume[] | undefined;
}

export function isNotice(target: string): boolean {
  return target === NOTICES;
}

/** @throws Error if a later version wrote the text. */
export function parseNotices(text: string): NoticeText {
  const content = readJson(text) as NoticeText;
  if (content.format !== 1) throw new NewerFormat(content.format);
  return content;
}

/** Joins the pauses and approvals of two texts. If both pause a target, `own` wins. */
export function joinNotices(own: string, hidden: string): string {
  const [first, second] = [parseNotices(own), parseNotices(hidden)];
  const paused = new Set(first.pauses.map(({ target }) => target));
  const approved = new Set(first.approvals.map(({ target, digest }) => `${target} ${digest}`));
  const text: NoticeText = {
    format: 1,
    pauses: [...first.pauses, ...second.pauses.filter(({ target }) => !paused.has(target))],
    resumes: [...(first.resumes ?? []), ...(second.resumes ?? [])],
    approvals: [...second.approvals.filter(({ target, digest }) => !approved.has(`${target} ${digest}`)), ...first.approvals],
  };
  return `${JSON.stringify(text, null, 1)}\n`;
}
