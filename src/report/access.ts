import { createPatch } from "diff";
import type { AccessAnswer, AccessResult, AccessWords, FileEdit, PathAnswer } from "../outcome/access.js";
import { count } from "./format-counts.js";
import { flowText } from "./insight.js";
import { reachLines } from "./reach.js";
import type { Paint } from "./style.js";

/** Maximum number of flows outside a request that are printed. */
const MOST_FLOWS = 6;
/** Number of requests from which each answer is one line. */
const MANY = 2;

/** Returns the answers and the edit of the documents, for a terminal. */
export function accessLines({ answers, files, faults }: AccessResult, chosen: number, paint: Paint): string[] {
  const shown =
    answers.length >= MANY
      ? refusedLast(answers).map((answer) => answerLine(answer, paint))
      : answers.flatMap((each) => answerLines(each, chosen, paint));
  const refused = answers.filter(({ state }) => state === "refused").length;
  return [
    ...shown,
    ...faults.map((text) => `  ${paint("red", "refused")} ${text}`),
    ...(answers.length >= MANY && refused > 0 ? [`  ${paint("red", `${count(refused, "request")} refused: no document is edited`)}`] : []),
    ...files.flatMap((file) => fileLines(file, paint)),
  ];
}

/** Returns the answers about paths through several targets, and the edit of the documents of all of them. */
export function pathAccessLines({ answers, files, faults }: PathEdits, paint: Paint): string[] {
  const isShort = answers.length >= MANY;
  const refused = answers.filter(({ state }) => state === "refused").length;
  return [
    ...refusedLast(answers).flatMap((answer) => (isShort ? [pathLine(answer, paint)] : pathLines(answer, paint))),
    ...faults.map((text) => `  ${paint("red", "refused")} ${text}`),
    ...(isShort && refused > 0 ? [`  ${paint("red", `${count(refused, "request")} refused: no document is edited`)}`] : []),
    ...files.flatMap((file) => fileLines(file, paint)),
  ];
}

/** Refused requests come last, next to the sentence that nothing is edited: a file may contain hundreds. */
function refusedLast<Answer extends Pick<AccessAnswer, "state">>(answers: readonly Answer[]): Answer[] {
  return answers.toSorted((a, b) => Number(a.state === "refused") - Number(b.state === "refused"));
}

interface PathEdits {
  readonly answers: readonly PathAnswer[];
  readonly files: readonly FileEdit[];
  readonly faults: readonly string[];
}

function pathLine({ request, state, hops, reasons }: PathAnswer, paint: Paint): string {
  const own = hops.flatMap(({ target, designs, reasons: why }) =>
    [...designs.slice(0, 1).map(({ summary }) => summary), ...why].map((text) => `${target}: ${text}`),
  );
  const text = state === "allowed" ? hops.map(({ target }) => target).join(", ") : [...reasons, ...own].join("; ");
  return `  ${paint(COLOURS[state], state.padEnd(11))} ${requestText(request)}  ${text}`.trimEnd();
}

function pathLines({ request, state, hops, reasons, notes }: PathAnswer, paint: Paint): string[] {
  return [
    `${requestText(request)}: ${paint(COLOURS[state], STATES[state])}`,
    ...hops.flatMap((hop) => [`${paint("bold", hop.target)}`, ...answerLines(hop, 1, paint)]),
    ...reasons.map((text) => `  ${paint("red", "because")} ${text}`),
    ...notes.map((text) => `  ${paint("yellow", "note")} ${text}`),
  ];
}

const COLOURS = { allowed: "green", conditional: "yellow", designed: "cyan", refused: "red" } as const;

/** Returns one line about a request. */
export function requestText({ from, fromZone, to, toZone, service, application, user }: AccessWords): string {
  const end = (text: string, zone: string | undefined) => (zone === undefined || zone === text ? text : `${text} (${zone})`);
  return `${end(from, fromZone)} > ${end(to, toZone)}  ${service} · ${application}${user === undefined ? "" : ` · user ${user}`}`;
}

function answerLine({ request, state, designs, reasons, now }: AccessAnswer, paint: Paint): string {
  const [design] = designs;
  const wider = design !== undefined && design.excess.length > 0 ? " (also opens other flows)" : "";
  const why = state === "designed" ? `${design?.summary ?? ""}${wider}` : state === "refused" ? (reasons[0] ?? "") : rulesText(now);
  return `  ${paint(COLOURS[state], state.padEnd(11))} ${requestText(request)}  ${why}`.trimEnd();
}

function rulesText(now: AccessAnswer["now"]): string {
  return `by ${[...new Set((now?.answers ?? []).map(({ rule }) => rule))].join(", ")}`;
}

const STATES: Readonly<Record<AccessAnswer["state"], string>> = {
  allowed: "already allowed",
  conditional: "depends on facts outside the configuration; no edit is designed",
  designed: "not allowed now",
  refused: "refused",
};

function answerLines({ request, scope, state, now, designs, reasons, notes }: AccessAnswer, chosen: number, paint: Paint): string[] {
  const isRefused = state === "refused";
  return [
    `  ${requestText(request)}: ${paint(COLOURS[state], STATES[state])}${scope === undefined ? "" : `  ${scope}`}`,
    // The first line names the rulebase again.
    ...(now === undefined ? [] : reachLines({ ...now, beside: [] }, paint).slice(1)).map((line) => `  ${line}`),
    ...designs.flatMap((design, at) => [
      `  ${paint("bold", `${at + 1 === chosen ? "*" : " "} ${at + 1}`)} ${design.summary}`,
      ...(design.excess.length === 0
        ? [`      ${design.isPartial ? "opens a part of the request, and nothing else" : "opens exactly the request"}`]
        : [
            `      ${paint("yellow", "also opens")}`,
            ...design.excess.slice(0, MOST_FLOWS).map((flow) => `        ${flowText(flow)}`),
            ...(design.excess.length > MOST_FLOWS ? [`        and ${design.excess.length - MOST_FLOWS} more`] : []),
          ]),
      ...design.notes.map((text) => `      ${text}`),
    ]),
    ...(isRefused ? reasons : []).map((text) => `  ${paint("red", "because")} ${text}`),
    ...notes.filter((text) => !(now?.doubts ?? []).includes(text)).map((text) => `  ${paint("yellow", "note")} ${text}`),
  ];
}

/** Returns the difference of one document. */
export function fileLines(edit: FileEdit, paint: Paint): string[] {
  const painted = patchLines(edit, 2).map(
    (line) => `    ${line.startsWith("+") ? paint("green", line) : line.startsWith("-") ? paint("red", line) : paint("dim", line)}`,
  );
  return [`  ${paint("bold", edit.file)}`, ...painted];
}

/** Returns the changed lines of a document as a unified diff without its header. `context`: number of lines around each change. */
export function patchLines({ file, before, after }: FileEdit, context: number): string[] {
  const [, , , , ...lines] = createPatch(file, before, after, undefined, undefined, { context }).split("\n");
  return lines.filter((line) => line !== "" && !line.startsWith("\\"));
}
