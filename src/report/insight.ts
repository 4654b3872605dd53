import { editText } from "../outcome/edit.js";
import {
  type DecidingRules,
  type Edit,
  type EditSummary,
  type ExampleFlow,
  type FlowWords,
  formatFirewalls,
  type IdleRule,
  type Insight,
  type ScopeInsight,
  type SummaryRow,
} from "../outcome/insight.js";
import type { Command } from "../outcome/outcome.js";
import { listed, shortened } from "../outcome/shorten-list.js";
import { count } from "./format-counts.js";
import type { Paint } from "./style.js";

/** Maximum numbers in a report for people. The JSON report has everything. */
const ROWS = 15;
const RULES = 3;
const IDLE = 4;
const CONDITIONS = 2;
const CHANGES = 4;

/** Returns the section "What becomes reachable" for a terminal. */
export function insightLines(insight: Insight, command: Command, paint: Paint): string[] {
  if (insight.failure !== undefined) return ["", `  ${paint("yellow", heading(command))}  not known: ${insight.failure}`];
  return [
    ...insight.scopes.flatMap((scope) => scopeLines(scope, command, paint)),
    ...assumptions(insight).map((text) => `    ${paint("dim", text)}`),
  ];
}

function heading(command: Command): string {
  return command === "drift" ? "What became reachable" : "What becomes reachable";
}

/** Returns `vsys1`, or for a manager `device-group/branch  6 firewalls: fw-a, fw-b …`. */
export function formatScope({ scope, firewalls }: Pick<ScopeInsight, "scope" | "firewalls">): string {
  return firewalls === undefined ? scope : `${scope}  ${formatFirewalls(firewalls)}`;
}

/** Returns `2 openings · 0 closings · upper bound: depends on 3 FQDNs`. */
export function summaryLine(scope: ScopeInsight): string {
  const rows = scope.edits.flatMap((edit) => edit.rows);
  const of = (change: SummaryRow["change"]) => rows.filter((row) => row.change === change).length;
  const redirected = of("redirected");
  const parts = [count(of("opened"), "opening"), count(of("closed"), "closing"), ...(redirected > 0 ? [`${redirected} redirected`] : [])];
  return [...parts, precision(scope)].join(" · ");
}

function precision({ exact, dependsOn, undecided, doubts }: ScopeInsight): string {
  if (!exact) return `not exact: ${count(Math.max(1, undecided.length + doubts.length), "reason")}`;
  if (dependsOn.length === 0) return "exact";
  return `upper bound: depends on ${listed(dependsOn.map(({ kind, names }) => count(names.length, kind, plural(kind))))}`;
}

/** Returns `FQDNs`, `categories`, `settings of a rule`. */
function plural(kind: string): string {
  const [head = "", ...rest] = kind.split(/(?= (?:of|that) )/);
  const many = head.endsWith("s") ? head : /[^aeiou]y$/.test(head) ? `${head.slice(0, -1)}ies` : `${head}s`;
  return `${many}${rest.join("")}`;
}

function scopeLines(scope: ScopeInsight, command: Command, paint: Paint): string[] {
  const lines = ["", `  ${paint("bold", heading(command))}  ${formatScope(scope)}  ${paint("dim", summaryLine(scope))}`];
  for (const { edit, rows, by } of shownEdits(scope)) {
    for (const row of rows) {
      const [first, ...others] = rowText(row, edit);
      lines.push(`    ${paint(SIGNS[row.change][0], first ?? "")}`, ...others.map((line) => `        ${line}`));
    }
    lines.push(`    ${by}`);
  }
  const hidden = hiddenRows(scope);
  if (hidden !== undefined) lines.push(`    ${hidden}`);
  for (const text of idleLines(scope)) lines.push(`    ${paint("yellow", "!")} ${text}`);
  for (const text of remarks(scope)) lines.push(`    ${paint("yellow", "note")} ${text}`);
  return lines;
}

interface ShownEdit {
  readonly edit: Edit;
  readonly rows: readonly SummaryRow[];
  /** The edit in one line. */
  readonly by: string;
}

/** Returns the first rows of a result, with their edits. */
export function shownEdits({ edits }: ScopeInsight): ShownEdit[] {
  let left = ROWS;
  return edits.flatMap(({ edit, rows }: EditSummary) => {
    const shown = rows.slice(0, left);
    left -= shown.length;
    return shown.length === 0 ? [] : [{ edit, rows: shown, by: byText(edit) }];
  });
}

/** Returns the number of rows that `shownEdits` omits. Undefined if it omits none. */
export function hiddenRows({ edits }: ScopeInsight): string | undefined {
  const more = edits.flatMap(({ rows }) => rows).length - ROWS;
  return more > 0 ? `and ${count(more, "more row")}: use --format json` : undefined;
}

/** Returns `by rule guest-games (security.yaml:543): zone tv added`. */
export function byText(edit: Edit): string {
  const { where, changes } = edit;
  const place = where.line === undefined ? "" : ` (${where.file}:${where.line})`;
  return `by ${editText({ ...edit, subject: shortened(edit.subject), changes }, CHANGES, place)}`;
}

/** Returns the three lines of a row. They omit the new deciding rule if it is the edited one. */
export function rowText(row: SummaryRow, edit: Edit): string[] {
  const { flow, addresses, reaches = {} } = row;
  const { from, to } = flow;
  const users = flow.user === "any" ? "" : `  ${flow.user}`;
  const source = sized(flow.source, addresses.source);
  const destination = sized(flow.destination, addresses.destination);
  const details = [
    `${trafficText(flow)}${users}`,
    ...(row.parts === 1 ? [] : [row.parts === 0 ? "in part" : `in ${row.parts} parts`]),
    ...conditionsText(row),
    `before: ${decidedText(row.was)}`,
    ...(isDecidedBy(row, edit) ? [] : [`now: ${decidedText(row.now)}`]),
  ];
  return [
    `${SIGNS[row.change][1]} ${shortened(from)} > ${shortened(to)}   ${source} > ${destination}`,
    details.join("   "),
    [`for example ${exampleText(row.example, flow)}`, ...reachesText(reaches)].join("   "),
  ];
}

function isDecidedBy({ now: { rules, more } }: SummaryRow, { subject }: Edit): boolean {
  return rules.length === 1 && more === 0 && subject === `rule ${rules[0]?.name}`;
}

const SIGNS = { opened: ["green", "+"], closed: ["red", "-"], redirected: ["yellow", "~"] } as const;

/** Appends the number of addresses to names: `web, db (768 addresses)`. A single range shows it already. */
function sized(text: string, size: string): string {
  const isAny = text === "any" || text.startsWith("any but");
  const isRange = !text.includes(", ") && (text.endsWith(")") || text === "IPv6" || /^[\da-f]*[.:][\da-f.:/-]*$/.test(text));
  return `${shortened(text)}${isAny || isRange ? "" : ` (${sizeText(BigInt(size))} addresses)`}`;
}

function sizeText(size: bigint): string {
  if (size < 1_000_000n) return size.toString();
  if (size < 1_000_000_000n) return `${(Number(size) / 1e6).toFixed(1)} million`;
  if (size < 1n << 33n) return `${(Number(size) / 1e9).toFixed(1)} billion`;
  return `about 2^${size.toString(2).length - 1}`;
}

function trafficText({ service, application }: FlowWords): string {
  const services = service === "any" ? "any service" : service.split(" from port ").map(shortened).join(" from port ");
  if (application === "") return services;
  return `${services} · ${application === "any" ? "any application" : shortened(application)}`;
}

function conditionsText({ conditions, conditionsDiffer }: SummaryRow): string[] {
  const more = conditions.length - CONDITIONS;
  const shown = conditions.slice(0, CONDITIONS).map((text) => `if ${text}`);
  if (shown.length === 0) return [];
  const differ = conditionsDiffer === true ? ["conditions differ by flow"] : [];
  return [`${shown.join(", or ")}${more > 0 ? `, or ${count(more, "more condition")}: plumbline reach` : ""}`, ...differ];
}

/** Returns `denied by cleanup and 3 more rules`. */
function decidedText({ rules, more, verdict }: DecidingRules): string {
  const shown = rules.slice(0, RULES).map(({ name }) => name);
  const left = rules.length - shown.length + more;
  const word = VERDICTS[verdict] ?? verdict;
  if (shown.length === 0 || shown.join() === "no rule") return shown.length === 0 ? word : `${word}, no rule`;
  return `${word} by ${shown.join(", ")}${left > 0 ? ` and ${count(left, "more rule")}` : ""}`;
}

const VERDICTS: Readonly<Record<string, string>> = { allow: "allowed", deny: "denied", nowhere: "does not arrive" };

function exampleText(example: ExampleFlow, flow: FlowWords): string {
  const { from, to, source, destination, service, sourcePort, application, user } = example;
  const zones = from === undefined || (from === flow.from && to === flow.to) ? "" : `${from} > ${to}  `;
  const port = sourcePort === undefined ? "" : ` from port ${sourcePort}`;
  const name = application === undefined || flow.application === "" ? "" : ` · ${application}`;
  return `${zones}${source} > ${destination} ${service}${port}${name}${user === undefined ? "" : `  ${user} user`}`;
}

/** Returns `now reaches web-02 (10.1.0.12) in dmz, was web-01 (10.1.0.11) in dmz`. */
function reachesText({ was, now }: NonNullable<SummaryRow["reaches"]>): string[] {
  if (now === undefined) return was === undefined ? [] : [`reached ${was}`];
  return [`now reaches ${now}${was === undefined ? "" : `, was ${was}`}`];
}

/** Returns `if the source is in a, and the user is b`, and a line with "or if" for each alternative. */
export function conditionLines(conditions: readonly string[]): string[] {
  return conditions.map((text, at) => `${at === 0 ? "if" : "or if"} ${text}`);
}

/** Returns `web > db  web-03 (10.2.0.13) > db-01  tcp/5432 · postgres`. */
export function flowText(flow: FlowWords): string {
  const { from, to, source, destination, user } = flow;
  const users = user === "any" ? "" : `  ${user}`;
  const conditions = flow.conditions === undefined ? "" : `  if ${flow.conditions.join(", or if ")}`;
  return `${shortened(from)} > ${shortened(to)}  ${shortened(source)} > ${shortened(destination)}  ${trafficText(flow)}${users}${conditions}`;
}

/** Returns `rule old (edge/rules.yaml:7) no longer decides any flow: allow-all decides all of them`. */
export function idleText({ kind, isNew, rule, where, by }: IdleRule): string {
  const name = `rule ${ruleText({ name: rule, where })}`;
  if (kind === "matches-nothing") return `${name} ${isNew ? "is new and matches" : "no longer matches"} ${isNew ? "no" : "any"} flow`;
  if (kind === "undecided") return `${name} may decide no flow: the analysis of the rules above it was stopped`;
  const shown = by.slice(0, RULES).map(ruleText);
  const more = by.length - shown.length;
  const deciders = `${shown.join(", ")}${more > 0 ? ` and ${count(more, "more rule")}` : ""}`;
  const decides = by.length === 1 ? "decides" : "decide";
  return `${name} ${isNew ? "is new and decides no" : "no longer decides any"} flow: ${deciders} ${decides} all of its flows`;
}

/** Returns the first idle rules and the number of the others. Omits rules that a row names as deciding. */
export function idleLines({ idle, rows }: ScopeInsight): string[] {
  const deciding = new Set(rows.flatMap(({ now }) => now.rules.map(({ name }) => name)));
  const sure = idle.filter(({ kind, rule }) => kind !== "undecided" && !deciding.has(rule));
  const unsure = idle.filter(({ kind, rule }) => kind === "undecided" && !deciding.has(rule));
  const more = sure.length - IDLE;
  return [
    ...sure.slice(0, IDLE).map(idleText),
    ...(more > 0 ? [`and ${count(more, "more rule")} without effect`] : []),
    ...(unsure.length > 0
      ? [`not known whether ${count(unsure.length, "rule")} still ${unsure.length === 1 ? "has" : "have"} an effect`]
      : []),
  ];
}

/** Returns the limits and notes of the result. */
export function remarks({ undecided, doubts, notes }: ScopeInsight): string[] {
  return [...undecided, ...doubts, ...notes];
}

/** Returns assumptions that can be configured, and a link to those that apply to every result. */
function assumptions({ scopes }: Insight): string[] {
  const all = [...new Set(scopes.filter(({ rows }) => rows.length > 0).flatMap(({ beside }) => beside))];
  const chosen = all.filter((text) => text.includes("[?]"));
  return [...chosen, ...(all.length > chosen.length ? ["Limits of every result: docs/insight.md#limits"] : [])];
}

/** Returns the deciding rules for display, or the verdict if there is no rule. */
export function decidingText({ rules, more, verdict }: DecidingRules): string {
  const shown = rules.slice(0, RULES).map(ruleText);
  const left = rules.length - shown.length + more;
  if (shown.length === 0) return verdict;
  return `${shown.join(", ")}${left > 0 ? ` and ${count(left, "more rule")}` : ""}`;
}

/** Returns the name of a rule and its place in the documents. */
export function ruleText({ name, where }: DecidingRules["rules"][number]): string {
  return where.line === undefined ? name : `${name} (${where.file}:${where.line})`;
}
