import { type Level, levelsOf } from "../outcome/levels.js";
import {
  behind,
  formatBehind,
  formatFirewallDifferences,
  inTheWayWords,
  isBehind,
  type ManagedFirewall,
  type ManagedFirewalls,
  overdue,
  type PushedFirewall,
  type RunningPush,
  serialsOf,
} from "../outcome/managed-firewalls.js";
import type { TargetOutcome } from "../outcome/outcome.js";
import type { Plan, PushWave } from "../plan/model.js";
import { count } from "./format-counts.js";
import type { Paint } from "./style.js";

/** Maximum number of firewalls that are listed individually. */
const NAMED = 12;

/** Returns the state of a manager's firewalls: one summary line, followed by the firewalls that are not in sync. */
export function firewallLines(firewalls: ManagedFirewalls | undefined, paint: Paint): string[] {
  if (firewalls === undefined) return [];
  if (firewalls.failure !== undefined) return [`  ${paint("yellow", "firewalls")}  not known: ${firewalls.failure}`];
  const late = tellable(firewalls);
  const mark = ({ away }: ManagedFirewall) => (away?.tooLong === true ? paint("red", "!") : paint("yellow", "~"));
  const rows = late.slice(0, NAMED).map((row) => `    ${mark(row)} ${firewallSentence(row)}`);
  const more = late.length > NAMED ? [`    and ${late.length - NAMED} more (--format json has them all)`] : [];
  const { inTheWay = [] } = firewalls;
  const own = inTheWay.slice(0, NAMED).map((each) => `    ${paint("yellow", "~")} ${inTheWayWords(each)}`);
  const others = inTheWay.length > NAMED ? [`    and ${inTheWay.length - NAMED} more of their own (--format json has them all)`] : [];
  const isWell = late.length === 0 && inTheWay.length === 0;
  const head = `  ${paint(isWell ? "dim" : "yellow", "firewalls")}  ${firewallSummary(firewalls)}`;
  const { pushFailure } = firewalls;
  const unknown = pushFailure === undefined ? [] : [`  ${paint("yellow", "push")}  not known whether one is under way: ${pushFailure}`];
  return [
    head,
    ...rows,
    ...more,
    ...own,
    ...others,
    ...unknown,
    ...(firewalls.pushes ?? []).flatMap((push) => runningPushLines(push, paint)),
  ];
}

/** Returns `levels  candidate as declared · running differs in 1 · in sync 2 of 3 · handed not checked · in the way not checked`. */
export function levelLines(outcome: Pick<TargetOutcome, "sides" | "firewalls" | "watch">, paint: Paint): string[] {
  const levels = levelsOf(outcome);
  if (levels === undefined) return [];
  const parts = levels.map((level) =>
    level.state === "differs" || level.state === "unknown" ? paint("yellow", levelWords(level)) : levelWords(level),
  );
  return [`  ${paint("dim", "levels")}  ${parts.join(" · ")}`];
}

function levelWords({ name, words }: Level): string {
  return `${name} ${words}`;
}

/** Returns the levels for a reviewer. */
export function levelNotes(outcome: Pick<TargetOutcome, "sides" | "firewalls" | "watch">): string[] {
  const levels = levelsOf(outcome);
  return levels === undefined ? [] : [levels.map(levelWords).join("; ")];
}

/**
 * Returns `push  job 12 by plumbline since 2026/11/22 10:00:00: plumbline push host:7.1 (wave 1 of 3)`, followed by the firewalls for each
 * result.
 */
function runningPushLines({ job, by, since, description, asksOnly, firewalls }: RunningPush, paint: Paint): string[] {
  const when = since === undefined ? "" : ` since ${since}`;
  const of = (result: string) => firewalls.filter((each) => each.result === result);
  const names = (rows: RunningPush["firewalls"]) => {
    const shown = rows.slice(0, NAMED).map(({ hostname, serial }) => hostname ?? serial);
    return `${shown.join(", ")}${rows.length > NAMED ? ` and ${rows.length - NAMED} more` : ""}`;
  };
  const steps = [
    ["has not ended at", of("not ended")],
    [asksOnly ? "would not be taken by" : "failed at", of("failed")],
    ["does not reach", of("not connected")],
    [asksOnly ? "would be taken by" : "was taken by", of("ok")],
  ] as const;
  return [
    `  ${paint("yellow", asksOnly ? "validation" : "push")}  job ${job} by ${by}${when}${description === "" ? "" : `: ${description}`}`,
    ...(firewalls.length === 0 ? ["    is not sent yet"] : []),
    ...steps.filter(([, rows]) => rows.length > 0).map(([words, rows]) => `    ${words} ${names(rows)}`),
  ];
}

/** Alarms come first, so that they are never omitted. */
function tellable(firewalls: ManagedFirewalls): readonly ManagedFirewall[] {
  return [...overdue(firewalls), ...behind(firewalls).filter(({ away }) => away?.tooLong !== true)];
}

/** Returns `2 of 3 firewalls in sync with the manager's running configuration, 1 not connected`. */
function firewallSummary({ rows, inTheWay = [] }: ManagedFirewalls): string {
  const all = serialsOf(rows).size;
  const late = serialsOf(behind({ watched: false, rows })).size;
  const away = serialsOf(rows.filter(({ connected }) => !connected)).size;
  const words = `${all - late} of ${count(all, "firewall")} in sync with the manager's running configuration`;
  const alarms = serialsOf(overdue({ watched: false, rows })).size;
  const absent = away === 0 ? "" : `, ${away} not connected${alarms === 0 ? "" : `, ${alarms} of them for too long`}`;
  const own = new Set(inTheWay.map(({ serial }) => serial)).size;
  return `${words}${absent}${own === 0 ? "" : `, ${own} with something of their own`}`;
}

function lacksWords(owners: readonly string[]): string {
  if (owners.length === 0) return "has all that it was to get: its manager counts something of its own";
  return `lacks only changes of ${owners.join(", ")} that were not pushed`;
}

/** Returns `fw-b 007000000000002 vsys1  out of sync with device-group/branch, last push commit failed at 2026/11/22 10:00:00`. */
function firewallSentence({ serial, hostname, vsys, by, state, connected, away, lastPush, handed, lacksOnlyOf }: ManagedFirewall): string {
  const name = [hostname, serial, vsys].filter((part) => part !== undefined).join(" ");
  const text = state === "unknown" ? `not known to be in sync with ${by}` : `${state} with ${by}`;
  const at = lastPush?.at === undefined ? "" : ` at ${lastPush.at}`;
  const pushed = lastPush === undefined ? "never pushed to" : `last push ${lastPush.result}${at}`;
  const lacking = lacksOnlyOf === undefined ? [] : [lacksWords(lacksOnlyOf)];
  return [`${name}  ${text}`, ...lacking, ...handedSentence(handed), ...(connected ? [] : [formatDisconnected(away)]), pushed].join(", ");
}

/** Returns the differences that the firewall itself reported. */
function handedSentence(handed: ManagedFirewall["handed"]): string[] {
  if (handed === undefined || handed.state === "equal") return [];
  return [
    handed.state === "differs"
      ? `the firewall ${formatFirewallDifferences(handed)}`
      : `the state of the firewall is unknown (${handed.why})`,
  ];
}

/** Returns `not connected since 2026-11-20 10:00 UTC or before, for too long`. */
export function formatDisconnected(away: ManagedFirewall["away"]): string {
  if (away === undefined) return "not connected";
  if (away.since === undefined) return "not connected, start unknown (the state folder is not writable)";
  const since = `not connected since ${away.since.slice(0, 16).replace("T", " ")} UTC or before`;
  return away.tooLong ? `${since}, for too long` : since;
}

/** Returns the number of firewalls that get a plan by a push, and the waves if there are several. */
export function reachLines(
  { reaches, alreadyHave = [], waves, others }: Plan,
  firewalls: ManagedFirewalls | undefined,
  paint: Paint,
): string[] {
  if (reaches === undefined) return [];
  const words = `to be pushed to ${count(reaches.length, "firewall or virtual system", "firewalls and virtual systems")}${having(alreadyHave, firewalls)}`;
  const othersLines = others === undefined ? [] : [`  ${paint("yellow", formatOthersWork(others))}`];
  if (waves === undefined) return ["", `  ${paint("dim", words)}`, ...othersLines];
  const lines = waves.map((wave, at) => `    ${paint("dim", `wave ${at + 1}  ${waveNames(wave, firewalls)}`)}`);
  return ["", `  ${paint("dim", `${words}, in ${waves.length} waves`)}`, ...lines, ...othersLines];
}

/** Returns `goes along with it, by others and not pushed: version 7 by alice at 2026/11/22 10:00:00`. */
export function formatOthersWork({ goes, work }: NonNullable<Plan["others"]>): string {
  return `${goes === "along" ? "goes along with it" : "left out of it"}, by others and not pushed: ${work.join(", ")}`;
}

/** Returns `, but for 2 that have it already: fw-a, fw-b`. */
function having(rows: readonly string[], firewalls: ManagedFirewalls | undefined): string {
  if (rows.length === 0) return "";
  const hosts = hostsOf(firewalls);
  const names = rows.slice(0, NAMED).map((row) => {
    const [serial = "", vsys = ""] = row.split(" ");
    return `${hosts.get(serial) ?? serial}${vsys === "" ? "" : ` ${vsys}`}`;
  });
  const more = rows.length > NAMED ? ` and ${rows.length - NAMED} more` : "";
  return `, but for ${rows.length} that ${rows.length === 1 ? "has" : "have"} it already: ${names.join(", ")}${more}`;
}

function hostsOf(firewalls: ManagedFirewalls | undefined): ReadonlyMap<string, string | undefined> {
  return new Map(firewalls?.rows.map(({ serial, hostname }) => [serial, hostname]));
}

/** Returns `fw-a 007000000000001, fw-b 007000000000002 (canary)`. */
function waveNames({ canary, serials }: PushWave, firewalls: ManagedFirewalls | undefined): string {
  const hosts = hostsOf(firewalls);
  const names = serials.slice(0, NAMED).map((serial) => [hosts.get(serial), serial].filter((part) => part !== undefined).join(" "));
  const more = serials.length > NAMED ? ` and ${serials.length - NAMED} more` : "";
  return `${names.join(", ")}${more}${canary ? " (canary)" : ""}`;
}

/** Returns the results of a push: the number of firewalls that accepted it, and the results of the others. */
export function pushLines(pushed: readonly PushedFirewall[] | undefined, paint: Paint): string[] {
  if (pushed === undefined || pushed.length === 0) return [];
  const taken = pushed.filter(({ result, isBack }) => result === "ok" && isBack !== true).length;
  const jobs = [...new Set(pushed.map(({ job }) => job))].filter((job) => job !== "").join(", ");
  const hasWaves = pushed.some(({ wave }) => wave !== pushed[0]?.wave);
  const others = pushed
    .filter(({ result, isBack }) => result !== "ok" || isBack === true)
    .map(
      ({ serial, result, wave, isBack, since }) =>
        `    ${paint("yellow", "~")} ${serial}  ${isBack === true ? backWords(result) : result}${hasWaves ? `, wave ${wave}` : ""}${sinceWords(since)}`,
    );
  const more = others.length > NAMED ? [`    and ${others.length - NAMED} more (--format json has them all)`] : [];
  const words = `${taken} of ${count(pushed.length, "firewall")} accepted the push${jobs === "" ? "" : `, job ${jobs}`}`;
  return [`  ${paint("dim", "pushed")}  ${words}`, ...others.slice(0, NAMED), ...more];
}

/** Returns the results of a push for a reviewer, in one note. */
export function pushNotes(pushed: readonly PushedFirewall[] | undefined): string[] {
  const rows = pushLines(pushed, (_, text) => text).map((line) => line.trim().replace(/^(?:~|pushed) +/, ""));
  return rows.length === 0 ? [] : [rows.join("; ")];
}

function sinceWords(since: string | undefined): string {
  return since === undefined ? "" : `, since ${since.slice(0, 16).replace("T", " ")} UTC`;
}

function backWords(result: PushedFirewall["result"]): string {
  return result === "ok" ? "took it, and has the former state again" : `took it, and the former state: ${result}`;
}

/** Returns the waves of a plan for a reviewer. */
export function waveNotes(waves: readonly PushWave[] | undefined, firewalls: ManagedFirewalls | undefined): string[] {
  return waves === undefined ? [] : [`in ${waves.length} waves: ${waves.map((wave) => waveNames(wave, firewalls)).join("; ")}`];
}

/** Returns the state of the firewalls for a reviewer, in at most one note. */
export function firewallNotes(firewalls: ManagedFirewalls | undefined): string[] {
  if (firewalls === undefined) return [];
  if (firewalls.failure !== undefined) return [`not known: ${firewalls.failure}`];
  const late = tellable(firewalls);
  if (late.length === 0) return firewalls.inTheWay === undefined || firewalls.inTheWay.length === 0 ? [] : [firewallSummary(firewalls)];
  const names = late
    .slice(0, NAMED)
    .map(({ hostname, serial, vsys }) => [hostname ?? serial, vsys].filter((part) => part !== undefined).join(" "));
  const more = late.length > NAMED ? ` and ${late.length - NAMED} more` : "";
  return [`${firewallSummary(firewalls)}; not: ${names.join(", ")}${more}`];
}

/** Returns the text that replaces `in sync` if watched firewalls are not in sync. Undefined otherwise. */
export function notInSync(firewalls: ManagedFirewalls | undefined): string | undefined {
  return firewalls !== undefined && isBehind(firewalls) ? formatBehind(firewalls) : undefined;
}
