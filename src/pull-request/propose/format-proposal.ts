import { type Change, formatTime } from "../../plan/diff/change.js";
import { NAME } from "../../report/markdown/names.js";
import { clip, codeSpan, prose } from "../../report/markdown/text.js";
import { shownPlace } from "../../report/shown-place.js";
import type { Candidate, Refused } from "./candidates.js";

const LIMIT = 60_000;
const SHOWN_IN_COMMIT = 50;
const DONE: Readonly<Record<Change["kind"], string>> = {
  missing: "removed",
  extra: "added",
  differs: "changed",
  order: "reordered",
  renamed: "renamed",
  unmanaged: "added",
};

/** Returns one line, such as `Take over drift of edge: 2 changed, 1 added`. */
export function titleOf(candidates: readonly Candidate[]): string {
  const targets = [...new Set(candidates.map(({ survey }) => survey.context.name))];
  const where = targets.length === 1 ? plainName(targets[0] ?? "") : `${targets.length} targets`;
  const counts = Object.entries(DONE).flatMap(([kind, word]) => {
    const n = candidates.filter(({ item }) => item.change.kind === kind).length;
    return n === 0 ? [] : [`${n} ${word}`];
  });
  return `Take over drift of ${where}: ${counts.join(", ")}`;
}

/** Returns a commit message with the author and the time of each change. Escaped names contain no mentions or issue keywords. */
export function commitMessage(candidates: readonly Candidate[]): string {
  const lines = candidates.slice(0, SHOWN_IN_COMMIT).map((candidate) => {
    const { scope, group, item, rest } = placeIn(candidate);
    const path = [scope, group, item, rest].filter((part) => part !== "").flatMap((part) => part.split("/"));
    const { attribution, change } = candidate.item;
    const who = attribution === undefined ? "by unknown" : `by ${plainName(attribution.admin)}`;
    const when = formatTime(plainTime(attribution?.time));
    return `- ${plainName(candidate.survey.context.name)}: ${path.map(plainName).join("/")} ${DONE[change.kind]} ${who}${when}`;
  });
  const more = candidates.length - lines.length;
  return [titleOf(candidates), "", ...lines, ...(more > 0 ? [`- and ${more} more`] : []), ""].join("\n");
}

/** Returns the text of the pull request: the changes with their authors, and the refused ones. At most 60,000 characters, and `marker`. */
export function description(accepted: readonly Candidate[], refused: readonly Refused[], marker: string): string {
  const out = [
    "The running configuration differs from the desired state. This proposal declares the running values.",
    "",
    "**Merge** to keep it. **Close** and reconcile to restore the values of the repository.",
    "",
    ...bounded(accepted, LIMIT / 2, (candidate) => `- ${sentence(candidate)}`),
  ];
  if (refused.length > 0) {
    out.push("", "**Not in here**, for a person to decide:", "");
    out.push(...bounded(refused, LIMIT / 3, (candidate) => `- ${sentence(candidate)}: ${prose(candidate.why, 300)}`));
  }
  return `${out.join("\n")}\n\n${marker}\n`;
}

/** Returns the comment on a request whose drift is gone. */
export function missingTargetText(target: string): string {
  const name = codeSpan(clip(target, NAME));
  return `The running configuration of ${name} no longer differs from the desired state, so Plumbline closes this request. If the drift returns, Plumbline opens a new request.`;
}

function bounded<T>(items: readonly T[], room: number, line: (item: T) => string): string[] {
  const lines: string[] = [];
  let left = room;
  for (const [i, item] of items.entries()) {
    const text = line(item);
    if (text.length > left) return [...lines, `- … and ${(items.length - i).toLocaleString("en")} more`];
    left -= text.length + 1;
    lines.push(text);
  }
  return lines;
}

function sentence(candidate: Candidate): string {
  const { scope, group, item, rest } = placeIn(candidate);
  const { attribution, change } = candidate.item;
  const code = (text: string) => codeSpan(clip(text, 2 * NAME));
  const at = [code(candidate.survey.context.name), scope === "" ? "" : code(scope), code(group)].filter((part) => part !== "").join(" ");
  const who = attribution === undefined ? "by unknown" : `by ${code(attribution.admin)}`;
  const when = formatTime(plainTime(attribution?.time)).replaceAll(TIMESTAMP, (time) => code(time));
  return `${at}: ${code(rest === "" ? item : `${item} ${rest}`)} ${DONE[change.kind]} ${who}${when}`;
}

/** Keeps the characters of timestamps, because the device may send any text. */
function plainTime(time: string | undefined): string | undefined {
  return time?.replaceAll(/[^\d/: TZ+.-]/g, "");
}

const TIMESTAMP = /\d[\d/:TZ+.-]*(?: \d[\d:TZ+.-]*)?/g;

function placeIn({ survey, item }: Candidate) {
  return shownPlace(item.change.path, survey.shape);
}

/** Escapes all characters except letters, digits, dots, underscores and hyphens, so that hosts find no mentions or links in a name. */
function plainName(name: string): string {
  return clip(name, NAME).replaceAll(/[^\p{L}\p{N}._-]/gu, (character) => encodeURIComponent(character));
}
