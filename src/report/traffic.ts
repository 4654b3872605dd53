import type { ScopeTraffic, Traffic, TrafficGap, TrafficRow, TrafficSource } from "../outcome/traffic.js";
import { count } from "./format-counts.js";
import { decidingText } from "./insight.js";
import type { Colour, Paint } from "./style.js";

/** Maximum numbers of rows, sources of a row and disagreements in a report for people. The JSON report has more. */
const ROWS = 6;
const SOURCES = 3;
const DISAGREEMENTS = 3;

const CHANGES: Readonly<Record<TrafficRow["change"], readonly [colour: Colour, text: string]>> = {
  closed: ["red", "- would be stopped"],
  opened: ["green", "+ would pass"],
  "may change": ["yellow", "? may change"],
};

/** Returns the section "Traffic since …" for a terminal. */
export function trafficLines(traffic: Traffic, paint: Paint): string[] {
  if (traffic.failure !== undefined) return ["", `  ${paint("yellow", "Traffic")}  not replayed: ${traffic.failure}`];
  const lines = traffic.scopes.flatMap((scope) => {
    const title = `  ${paint("bold", `Traffic since ${traffic.backTo ?? traffic.since}`)}  ${scope.scope}  ${paint("dim", trafficSummary(scope))}`;
    const rows = sortedRows(scope).flatMap((row) => {
      const [first = "", ...others] = trafficRowText(row);
      return [`    ${paint(CHANGES[row.change][0], first)}`, ...others.map((line) => `      ${line}`)];
    });
    return ["", title, ...rows, ...trafficRemarks(scope).map((text) => `    ${text}`)];
  });
  const limits = trafficLimits(traffic).map((text) => `    ${paint("dim", text)}`);
  return lines.length === 0
    ? ["", `  ${paint("bold", `Traffic since ${traffic.since}`)}  no session was logged`, ...limits]
    : [...lines, ...limits];
}

/** Returns `1204 sessions · 9 of 14 rules log`. */
export function trafficSummary({ sessions, rulesThatLog, rules }: ScopeTraffic): string {
  return `${count(sessions, "session")} · ${rulesThatLog} of ${count(rules, "rule")} log`;
}

/** Returns stopped sessions first, and the rows of each kind in their order (largest count first). */
export function sortedRows({ rows }: ScopeTraffic): readonly TrafficRow[] {
  const order = Object.keys(CHANGES);
  return [...rows].sort((a, b) => order.indexOf(a.change) - order.indexOf(b.change)).slice(0, ROWS);
}

/** Returns the row with its sign, followed by the deciding rules. */
export function trafficRowText(row: TrafficRow): string[] {
  return [
    `${CHANGES[row.change][1]}  ${count(row.sessions, "session")}  ${trafficFlow(row)}`,
    `was: ${decidingText(row.was)}   now: ${decidingText(row.now)}   (last ${row.last})`,
  ];
}

/** Returns `web > db  10.1.0.4, 10.1.0.5 and 3 more > 10.2.0.13  tcp/5432 · postgres`. */
export function trafficFlow(row: TrafficRow): string {
  const shown = row.sources.slice(0, SOURCES);
  const more = row.sources.length - shown.length + row.moreSources;
  const sources = `${shown.join(", ")}${more > 0 ? ` and ${more} more` : ""}`;
  return `${row.from} > ${row.to}  ${sources} > ${row.destination}  ${row.service} · ${row.application}`;
}

/** Returns further facts about the sessions of one rulebase. */
export function trafficRemarks(scope: ScopeTraffic): string[] {
  const { opened, closed, mayChange, disagree, older, disagreements } = scope;
  const hidden = scope.rows.length + scope.more - sortedRows(scope).length;
  const lines = hidden > 0 ? [`and ${count(hidden, "more kind")} of sessions`] : [];
  if (opened + closed + mayChange === 0) lines.push("None of these sessions would be stopped or let through.");
  else if (closed + mayChange === 0) lines.push("None of these sessions would be stopped.");
  if (disagree > 0) {
    const examples = disagreements
      .slice(0, DISAGREEMENTS)
      .map(({ logged, model, example }) => `${logged} where the model says ${model.join(" or ")} (${example})`);
    lines.push(`The log disagrees with the model for ${count(disagree, "session")} since the last commit: ${examples.join("; ")}`);
  }
  if (older > 0)
    lines.push(`${count(older, "older session")} met a rule that would not decide them today: they are judged by today's rules.`);
  return lines;
}

/** Returns the limits of the complete result. */
export function trafficLimits({ since, backTo, notJudged, source }: Traffic): string[] {
  const isKept = source?.from === "store";
  const rest = isKept ? `sessions are available from ${backTo}.` : "the log has more than was read.";
  const cut = backTo === undefined ? [] : [`Requested from ${since}; ${rest}`];
  const unjudged = `${count(notJudged, "session")} not judged: zone, address or protocol is in no rulebase of the target.`;
  return [...(source === undefined ? [] : sourceWords(source)), ...cut, ...(notJudged === 0 ? [] : [unjudged])];
}

function sourceWords(source: TrafficSource): string[] {
  if (source.from === "device") return source.because === undefined ? [] : [`Read from the device: ${source.because}`];
  const { boxes, gaps, cut, failure } = source;
  const read = boxes.map(({ box, until }) => `${boxes.length > 1 ? `of ${box} ` : ""}up to ${until}`).join(", ");
  return [
    `As agents have kept the log ${read}, by the hour.`,
    ...(failure === undefined ? [] : [`It could not be read the last time: ${failure}`]),
    ...gaps.map(({ from, to, why }) => `From ${from} to ${to} ${GAPS[why]}`),
    ...(cut === undefined
      ? []
      : [
          `From ${cut.from} to ${cut.to} only the most frequent flows were kept: ${count(cut.flows, "flow")} with ${count(cut.sessions, "session")} are missing.`,
        ]),
  ];
}

const GAPS: Readonly<Record<TrafficGap["why"], string>> = {
  log: "sessions may be missing: the log was cleared, or written over before it was read.",
  clock: "the clocks of target and agent diverged: sessions may be recorded under another hour.",
};
