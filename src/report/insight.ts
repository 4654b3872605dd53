import {
  type DecidingRules,
  type FlowWords,
  firewallsWords,
  type IdleRule,
  type Insight,
  type ReachRow,
  type ScopeInsight,
} from "../outcome/insight.js";
import { shortened } from "../outcome/listed.js";
import type { Command } from "../outcome/outcome.js";
import type { Paint } from "./style.js";
import { count } from "./words.js";

/** Maximum numbers of flows of a row, deciding rules and idle rules in a report for people. The JSON report has all of them. */
const FLOWS = 4;
const RULES = 3;
const IDLE = 4;

/** Returns the section "What becomes reachable" for a terminal. */
export function insightLines(insight: Insight, command: Command, paint: Paint): string[] {
  if (insight.failure !== undefined) return ["", `  ${paint("yellow", heading(command))}  not known: ${insight.failure}`];
  const beside = new Set(insight.scopes.filter(({ rows }) => rows.length > 0).flatMap((scope) => scope.beside));
  return [
    ...insight.scopes.flatMap((scope) => scopeLines(scope, command, paint)),
    ...[...beside].map((text) => `    ${paint("dim", text)}`),
  ];
}

function heading(command: Command): string {
  return command === "drift" ? "What became reachable" : "What becomes reachable";
}

/** Returns `vsys1`, or for a manager `device-group/branch  6 firewalls: fw-a, fw-b …`. */
export function scopeWords({ scope, firewalls }: Pick<ScopeInsight, "scope" | "firewalls">): string {
  return firewalls === undefined ? scope : `${scope}  ${firewallsWords(firewalls)}`;
}

/** Returns `exact · 214 rules` or `not exact · 214 rules`. */
export function standing({ exact, rules }: ScopeInsight): string {
  return `${exact ? "exact" : "not exact"}${rules === 0 ? "" : ` · ${count(rules, "rule")}`}`;
}

function scopeLines(scope: ScopeInsight, command: Command, paint: Paint): string[] {
  const lines = ["", `  ${paint("bold", heading(command))}  ${scopeWords(scope)}  ${paint("dim", standing(scope))}`];
  for (const row of scope.rows) {
    const [first, ...others] = rowText(row);
    lines.push(`    ${paint(SIGNS[row.change][0], first ?? "")}`, ...others.map((line) => `      ${line}`));
  }
  const nothing = nothingChanges(scope, command);
  if (nothing !== undefined) lines.push(`    ${nothing}`);
  for (const text of idleLines(scope)) lines.push(`    ${paint("yellow", "!")} ${text}`);
  for (const text of remarks(scope)) lines.push(`    ${paint("yellow", "note")} ${text}`);
  return lines;
}

/** Returns the lines of a row: its first flow with its sign, then the rest. */
export function rowText(row: ReachRow): string[] {
  const [first, ...others] = row.flows.slice(0, FLOWS).map(flowText);
  const hidden = row.flows.length + row.more - Math.min(row.flows.length, FLOWS);
  const arePaired = row.flows.some((flow) => flow.conditions !== undefined);
  return [
    `${SIGNS[row.change][1]}  ${first ?? ""}`,
    ...others.map((text) => `and  ${text}`),
    ...(hidden > 0 ? [`and ${count(hidden, "more set")} of flows${arePaired ? ", each under its own conditions" : ""}`] : []),
    ...(row.except === undefined ? [] : [row.except]),
    ...reachesLines(row.reaches),
    `was: ${decidingText(row.was)}   now: ${decidingText(row.now)}   (${row.cause})`,
    ...(arePaired ? [] : conditionLines(row.conditions)),
  ];
}

const SIGNS = { opened: ["green", "+ allowed"], closed: ["red", "- stopped"], redirected: ["yellow", "~ elsewhere"] } as const;

/** Returns `now reaches web-02 (10.1.0.12) in dmz, was web-01 (10.1.0.11) in dmz`. */
function reachesLines({ was, now }: NonNullable<ReachRow["reaches"]> = {}): string[] {
  if (now === undefined) return was === undefined ? [] : [`reached ${was}`];
  return [`now reaches ${now}${was === undefined ? "" : `, was ${was}`}`];
}

/** Returns `if the source is in a, and the user is b`, and a line with "or if" for each alternative. */
export function conditionLines(conditions: readonly string[]): string[] {
  return conditions.map((text, at) => `${at === 0 ? "if" : "or if"} ${text}`);
}

/** Returns `web > db  web-03 (10.2.0.13) > db-01  tcp/5432 · postgres`. */
export function flowText(flow: FlowWords): string {
  const { from, to, source, destination, application, user } = flow;
  const service = servicesText(flow.service);
  const users = user === "any" ? "" : `  ${user}`;
  const applications = application === "" ? "" : ` · ${application === "any" ? "any application" : shortened(application)}`;
  const conditions = flow.conditions === undefined ? "" : `  if ${flow.conditions.join(", or if ")}`;
  return `${shortened(from)} > ${shortened(to)}  ${shortened(source)} > ${shortened(destination)}  ${service}${applications}${users}${conditions}`;
}

/** Shortens services and source ports separately. */
function servicesText(service: string): string {
  return service === "any" ? "any service" : service.split(" from port ").map(shortened).join(" from port ");
}

/** Returns a sentence if no flow becomes reachable or no flow becomes unreachable. Undefined if both happen or if it is unknown. */
function nothingChanges({ rows, undecided, exact }: ScopeInsight, command: Command): string | undefined {
  if (undecided.length > 0) return undefined;
  const [opened, closed] = (["opened", "closed"] as const).map((change) => rows.some((row) => row.change === change));
  const verb = command === "drift" ? "became" : "becomes";
  if (opened && closed) return undefined;
  const what = opened ? "unreachable" : closed ? "reachable" : "reachable or unreachable";
  return exact ? `Nothing ${verb} ${what}.` : `By what is known nothing ${verb} ${what}.`;
}

/** Returns `rule old (edge/rules.yaml:7) decides nothing any more: all of it is decided by allow-all`. */
export function idleText({ kind, isNew, rule, where, by }: IdleRule): string {
  const name = `rule ${ruleText({ name: rule, where })}${isNew ? " is new and" : ""}`;
  const nothing = isNew ? "nothing" : "nothing any more";
  if (kind === "matches-nothing") return `${name} matches ${nothing}`;
  if (kind === "undecided") return `${name} may decide ${nothing}: it was given up whether rules above it decide all of it`;
  const shown = by.slice(0, RULES).map(ruleText);
  const more = by.length - shown.length;
  return `${name} decides ${nothing}: all of it is decided by ${shown.join(", ")}${more > 0 ? ` and ${count(more, "more rule")}` : ""}`;
}

/** Returns the first idle rules and the number of the others. */
export function idleLines({ idle }: ScopeInsight): string[] {
  const more = idle.length - IDLE;
  return [...idle.slice(0, IDLE).map(idleText), ...(more > 0 ? [`and ${count(more, "more rule")} of which that is so`] : [])];
}

/** Returns the limits and notes of the result. */
export function remarks({ undecided, doubts, notes }: ScopeInsight): string[] {
  return [...undecided, ...doubts, ...notes];
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
