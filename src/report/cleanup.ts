import { formatWhere, type Where } from "../core/errors.js";
import { type CleanupKind, type CleanupResult, type CleanupStep, mayChangeFlows, type RulebaseCleanup } from "../outcome/cleanup.js";
import type { FlowWords } from "../outcome/insight.js";
import { fileLines } from "./access.js";
import { count } from "./format-counts.js";
import { flowText } from "./insight.js";
import type { Paint } from "./style.js";

/** Maximum number of flows that are printed for each effect. */
const MOST_FLOWS = 6;

/** Returns the removals and the edit of the documents, for a terminal. */
export function cleanupLines({ rulebases, files, faults, atApply }: CleanupResult, paint: Paint): string[] {
  return [
    ...rulebases.flatMap((each) => rulebaseLines(each, paint)),
    ...faults.map((text) => `  ${paint("red", "refused")} ${text}`),
    ...atApply.map((text) => `  ${paint("yellow", "at apply")} ${text}`),
    ...files.flatMap((file) => fileLines(file, paint)),
  ];
}

function rulebaseLines({ scope, steps, kept, effect, notes }: RulebaseCleanup, paint: Paint): string[] {
  const silent = steps.filter((step) => !mayChangeFlows(step)).length;
  const changed = steps.length - silent;
  return [
    `  ${paint("bold", scope)}  ${paint("dim", steps.length === 0 ? "nothing to remove" : count(steps.length, "edit"))}`,
    ...steps.map((step) => `    ${paint("red", "-")} ${stepText(step)}  ${paint("dim", placeOf(step.where))}`.trimEnd()),
    ...kept.map(({ rule, kind, reason }) => `    ${paint("yellow", "stays")} ${rule} (${kind}): ${reason}`),
    ...(silent === 0 ? [] : [`    ${paint("green", "proven")} ${silentText(silent)}`]),
    ...(changed === 0 ? [] : effectLines(effect, paint)),
    ...notes.map((text) => `    ${paint("yellow", "note")} ${text}`),
  ];
}

function silentText(steps: number): string {
  return `without ${steps === 1 ? "this rule" : "these rules"}, every flow gets the same verdict, logs and profiles`;
}

/** Returns the effect of removing expired and unused rules. */
function effectLines({ opened, closed, handled }: RulebaseCleanup["effect"], paint: Paint): string[] {
  const all = [
    ["red", "opens", opened],
    ["yellow", "closes", closed],
    ["dim", "changes logs or profiles of", handled],
  ] as const;
  const lines = all.flatMap(([colour, verb, flows]) => flowLines(paint(colour, verb), flows));
  return lines.length === 0 ? [`    ${paint("green", "proven")} the removal of expired and unused rules changes no flow`] : lines;
}

function flowLines(verb: string, flows: readonly FlowWords[]): string[] {
  const more = flows.length - MOST_FLOWS;
  return [
    ...flows.slice(0, MOST_FLOWS).map((flow) => `    ${verb} ${flowText(flow)}`),
    ...(more > 0 ? [`    ${verb} ${count(more, "more set")} of flows`] : []),
  ];
}

const KINDS: Readonly<Record<CleanupKind, string>> = {
  "matches-nothing": "matches nothing",
  shadowed: "is never reached",
  redundant: "is redundant",
  undecided: "was not decided",
  expired: "ended",
  "expires-soon": "ends",
  unused: "had no session",
  disabled: "is disabled",
};

/** Returns one line about a step, without markup: `remove old-web: is never reached (below deny-all)`. */
export function stepText({ action, kind, rule, member, by, until, disabledOn, lastHit, countedSince }: CleanupStep): string {
  const what = action === "remove-member" ? `remove ${member ?? ""}` : `${action} ${rule}`;
  const day = (time: string) => time.slice(0, 10);
  const facts = [
    ...(by.length === 0 ? [] : [`below ${by.join(", ")}`]),
    ...(until === undefined ? [] : [`last day ${until}`]),
    ...(disabledOn === undefined ? [] : [`since ${disabledOn}`]),
    ...(lastHit === undefined ? [] : [`last session ${day(lastHit)}`]),
    ...(countedSince === undefined ? [] : [`counted since ${day(countedSince)}`]),
  ];
  return `${what}: ${KINDS[kind]}${facts.length === 0 ? "" : ` (${facts.join(", ")})`}`;
}

function placeOf({ file, line, xpath }: Where): string {
  return formatWhere(file === undefined ? { xpath } : { file, line });
}
