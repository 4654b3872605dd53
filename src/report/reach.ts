import { formatWhere, type Where } from "../core/errors.js";
import type { Lint, LintedRule, Reach, ReachAnswer } from "../outcome/reach.js";
import { flowText, scopeWords } from "./insight.js";
import type { Paint } from "./style.js";
import { count } from "./words.js";

/** Sets of flows of one rule that a person is shown; all of them are in JSON. */
const FLOWS = 6;

/** What rules make of the flows of a question, for a terminal. */
export function reachLines({ scope, firewalls, answers, doubts, beside }: Reach, paint: Paint): string[] {
  const nothing = answers.length === 0 ? ["  no flow is asked about: a name in the question holds nothing"] : [];
  return [
    `  ${paint("bold", scopeWords({ scope, firewalls }))}`,
    ...nothing,
    ...answers.flatMap((answer) => answerLines(answer, paint).map((line) => `  ${line}`)),
    ...doubts.map((text) => `  ${paint("yellow", "note")} ${text}`),
    ...beside.map((text) => `  ${paint("dim", text)}`),
  ];
}

function answerLines({ verdict, action, rule, where, conditions, flows, isExample, undecided }: ReachAnswer, paint: Paint): string[] {
  const word = paint(verdict === "allow" ? "green" : "red", action.padEnd(6));
  const hidden = flows.length - FLOWS;
  return [
    `${word} ${rule}  ${paint("dim", placeOf(where))}`.trimEnd(),
    ...flows.slice(0, FLOWS).map((flow) => `    ${isExample ? "for example " : ""}${flowText(flow)}`),
    ...(hidden > 0 ? [`    and ${count(hidden, "more set")} of flows`] : []),
    ...(conditions.length === 0 ? [] : [`    if ${conditions.join(", or ")}`]),
    ...(undecided ? [`    ${paint("yellow", "given up: it may decide none of these flows")}`] : []),
  ];
}

const SAYS: Readonly<Record<LintedRule["kind"], string>> = {
  "matches-nothing": "matches nothing",
  shadowed: "is never reached",
  redundant: "changes nothing: without it the same flows pass",
  undecided: "was given up",
};

/** Rules that do nothing, for a terminal. */
export function lintLines({ scope, firewalls, rules, findings }: Lint, paint: Paint): string[] {
  const head = `  ${paint("bold", scopeWords({ scope, firewalls }))}  ${paint("dim", `${count(rules, "rule")}, ${count(findings.length, "finding")}`)}`;
  return [
    head,
    ...findings.map(({ kind, rule, where, by }) => {
      const above = by.length === 0 ? "" : `: ${by.map((each) => `${each.name}${placed(each.where)}`).join(", ")} above`;
      return `    ${paint("yellow", rule)} ${SAYS[kind]}${above}  ${paint("dim", placeOf(where))}`.trimEnd();
    }),
  ];
}

/** File and line, else the place in the target. */
function placeOf({ file, line, xpath }: Where): string {
  return formatWhere(file === undefined ? { xpath } : { file, line });
}

function placed({ file, line }: Where): string {
  return file === undefined ? "" : ` (${file}:${line})`;
}
