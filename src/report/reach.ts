import { formatWhere, type Where } from "../core/errors.js";
import type { Door, FlowPath, Lint, LintedRule, Reach, ReachAnswer } from "../outcome/reach.js";
import { isStopped, type WholePath } from "../outcome/whole-path.js";
import { count } from "./format-counts.js";
import { conditionLines, flowText, formatScope } from "./insight.js";
import type { Paint } from "./style.js";

/** Maximum number of flow sets of one rule in a report for people. JSON has all of them. */
const FLOWS = 6;
/** Maximum number of rules without a count that are named. */
const UNCOUNTED = 6;

/** Returns the decisions about the flows of a query, for a terminal. */
export function reachLines({ scope, firewalls, answers, doubts, beside }: Reach, paint: Paint): string[] {
  const nothing = answers.length === 0 ? ["  no flow is asked about: a name in the question holds nothing"] : [];
  return [
    `  ${paint("bold", formatScope({ scope, firewalls }))}`,
    ...nothing,
    ...answers.flatMap((answer) => answerLines(answer, paint).map((line) => `  ${line}`)),
    ...doubts.map((text) => `  ${paint("yellow", "note")} ${text}`),
    ...beside.map((text) => `  ${paint("dim", text)}`),
  ];
}

/** Returns the ways of one flow, for a terminal. */
export function pathLines({ scope, firewalls, ways, doubts, beside }: FlowPath, paint: Paint): string[] {
  return [
    `  ${paint("bold", formatScope({ scope, firewalls }))}`,
    ...ways.flatMap((way) => wayLines(way, paint).map((line) => `  ${line}`)),
    ...doubts.map((text) => `  ${paint("yellow", "note")} ${text}`),
    ...beside.map((text) => `  ${paint("dim", text)}`),
  ];
}

/** Returns one way of a flow through all targets on its path, for a terminal: each hop, then the result. */
export function wholePathLines({ hops, conditions, verdict, ends }: WholePath, paint: Paint): string[] {
  const stops = hops.flatMap(({ target, checks }) =>
    checks.filter(isStopped).map(([answer]) => `${target}: ${answer?.rule ?? ""}${answer === undefined ? "" : placed(answer.where)}`),
  );
  const words = verdict === "stopped" ? stops.join("; ") : ends;
  const colour = verdict === "arrives" ? "green" : verdict === "stopped" ? "red" : "yellow";
  return [
    ...hops.flatMap(({ target, scope, flow, way, checks, doubts }) => [
      `${paint("bold", `${target} ${scope}`)}  ${flow.source ?? "a source that is not known"} > ${flow.destination}  ${flow.service}`,
      ...wayLines({ ...way, conditions: [], answers: checks.flat() }, paint).map((line) => `  ${line}`),
      ...doubts.map((text) => `  ${paint("yellow", "note")} ${text}`),
    ]),
    `${paint(colour, verdict === "unknown" ? "not known" : verdict)}  ${words}`,
    ...pathConditions([...new Set(conditions)]),
  ];
}

/** Returns `  if A,` and `     and B`. */
function pathConditions(conditions: readonly string[]): string[] {
  return conditions.map((text, at) => `${at === 0 ? "  if" : "     and"} ${text}${at === conditions.length - 1 ? "" : ","}`);
}

function wayLines({ conditions, from, via = [], translation, to, ends, answers }: FlowPath["ways"][number], paint: Paint): string[] {
  const line = (word: string, text: string) => `${word.padEnd(6)} ${text}`.trimEnd();
  const translated = [
    ...(translation?.source === undefined ? [] : [`source becomes ${translation.source}`]),
    ...(translation?.destination === undefined ? [] : [`destination becomes ${translation.destination}`]),
  ];
  const made = translated.length === 0 ? "translates nothing" : translated.join(", ");
  return [
    ...(conditions.length === 0 ? [] : [`if ${conditions.join(", and ")}`]),
    ...(from === undefined ? [] : [line("in", doorText(from, paint))]),
    ...(translation === undefined ? [] : [line("NAT", `${translation.rule}: ${made}  ${paint("dim", placeOf(translation.where))}`)]),
    ...via.map((text) => line("by", text)),
    ...(to === undefined ? [] : [line("out", doorText(to, paint))]),
    ...(ends === undefined ? [] : [paint("yellow", ends)]),
    ...answers.flatMap((answer) => answerLines(answer, paint)),
  ];
}

function doorText({ zone, interface: name, route, nextHop }: Door, paint: Paint): string {
  const next = [...(route === undefined ? [] : [route]), ...(nextHop === undefined ? [] : [`to ${nextHop}`])].join(" ");
  return `${zone}${name === undefined ? "" : ` by ${name}`}${next === "" ? "" : paint("dim", `  ${next}`)}`;
}

function answerLines({ verdict, action, rule, where, conditions, flows, isExample, undecided }: ReachAnswer, paint: Paint): string[] {
  const word = paint(verdict === "allow" ? "green" : "red", action.padEnd(6));
  const hidden = flows.length - FLOWS;
  return [
    `${word} ${rule}  ${paint("dim", placeOf(where))}`.trimEnd(),
    ...flows.slice(0, FLOWS).map((flow) => `    ${isExample ? "for example " : ""}${flowText(flow)}`),
    ...(hidden > 0 ? [`    and ${count(hidden, "more set")} of flows`] : []),
    ...(flows.some((flow) => flow.conditions !== undefined) ? [] : conditionLines(conditions)).map((text) => `    ${text}`),
    ...(undecided ? [`    ${paint("yellow", "given up: it may decide none of these flows")}`] : []),
  ];
}

const LINT_TEXTS: Readonly<Record<LintedRule["kind"], string>> = {
  "matches-nothing": "matches nothing",
  shadowed: "is never reached",
  redundant: "changes nothing: without it the same flows pass, treated alike",
  undecided: "was given up",
  unused: "decided no session",
  expired: "ended",
  "expires-soon": "ends",
};

/** Returns the rules without effect, for a terminal. */
export function lintLines({ scope, firewalls, rules, findings, unneeded = [], uncounted = [] }: Lint, paint: Paint): string[] {
  const head = `  ${paint("bold", formatScope({ scope, firewalls }))}  ${paint("dim", `${count(rules, "rule")}, ${count(findings.length, "finding")}`)}`;
  return [
    head,
    ...findings.flatMap(({ kind, rule, where, by, lastHit, countedSince, accepted, until, member }) => {
      const above = by.length === 0 ? "" : `: ${by.map((each) => `${each.name}${placed(each.where)}`).join(", ")} above`;
      const times = kind === "unused" ? unusedWords(lastHit, countedSince) : "";
      const end = until === undefined ? "" : `: last day ${until}`;
      const name = member === undefined ? rule : `${member} of ${rule}`;
      const colour = accepted === undefined || accepted.isOver ? "yellow" : "dim";
      const line = `    ${paint(colour, name)} ${LINT_TEXTS[kind]}${times}${above}${end}  ${paint("dim", placeOf(where))}`.trimEnd();
      return accepted === undefined ? [line] : [line, `      ${acceptedWords(accepted, paint)}`];
    }),
    ...unneeded.map(({ name, rule }) => `    ${paint("dim", `${name} accepts ${rule}, which is no finding: it can go`)}`),
    ...(uncounted.length === 0 ? [] : [`    ${paint("dim", uncountedWords(uncounted))}`]),
  ];
}

function acceptedWords({ name, reason, until, isOver }: NonNullable<LintedRule["accepted"]>, paint: Paint): string {
  return isOver
    ? paint("yellow", `was accepted until ${until} (${name}: ${reason})`)
    : paint("dim", `accepted until ${until} (${name}: ${reason})`);
}

function unusedWords(last: string | undefined, since: string | undefined): string {
  const day = (time: string) => time.slice(0, 10);
  if (last !== undefined) return ` since ${day(last)}`;
  return since === undefined ? "" : `, and was counted since ${day(since)}`;
}

function uncountedWords(rules: readonly string[]): string {
  const shown = rules.slice(0, UNCOUNTED).join(", ");
  const more = rules.length > UNCOUNTED ? ` and ${rules.length - UNCOUNTED} more` : "";
  return `not counted for long enough to say whether ${rules.length === 1 ? "it is" : "they are"} used: ${shown}${more}`;
}

/** Returns file and line, otherwise the place in the target. */
function placeOf({ file, line, xpath }: Where): string {
  return formatWhere(file === undefined ? { xpath } : { file, line });
}

function placed({ file, line }: Where): string {
  return file === undefined ? "" : ` (${file}:${line})`;
}
