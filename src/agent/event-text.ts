import type { PlumblineError } from "../core/errors.js";
import { oneLine } from "../core/printable.js";
import type { Pause } from "../engine/pause.js";
import { isSettled } from "../outcome/assertion.js";
import { formatTime } from "../plan/diff/change.js";
import { inline } from "../report/describe.js";
import { count } from "../report/format-counts.js";
import type { Colour, Paint } from "../report/style.js";
import { endOf } from "./ending-ignores.js";
import type { AgentEvent, KnownDrift } from "./events.js";
import { assertionText } from "./report-assertions.js";

/** Formats an event for a terminal in one or a few lines. Undefined for events that only programs use. */
export function eventText(event: AgentEvent, paint: Paint): string | undefined {
  const shown = words(event);
  return shown === undefined ? undefined : printed(shown, event.time, paint);
}

/** Formats the number of differences that are not printed (`limitDriftLines`). */
export function omittedText(target: string, omitted: number, time: number, paint: Paint): string {
  return printed(
    ["yellow", `${target}  drift: ${count(omitted, "more difference")}. Run \`plumbline drift ${target}\` to list them.`],
    time,
    paint,
  );
}

function printed([colour, ...lines]: ShownEvent, time: number, paint: Paint): string {
  return `${paint("dim", new Date(time).toISOString().slice(11, 19))}  ${paint(colour, lines.map(oneLine).join("\n          "))}`;
}

type ShownEvent = readonly [Colour, ...lines: string[]];

function words(event: AgentEvent): ShownEvent | undefined {
  switch (event.type) {
    case "agent-started":
      return ["bold", `plumbline ${event.version} watches ${event.source}`];
    case "agent-stopped":
      return ["bold", "stopped"];
    case "source-failed":
      return event.failures === 1 ? ["yellow", event.error.message] : undefined;
    case "source-recovered":
      return ["green", "the repository is reachable again"];
    case "source-rewound":
      return ["yellow", `the branch moved to ${short(event.commit)}, which does not descend from ${short(event.previous)}`];
    case "commit-refused":
      return ["red", `refused: ${withPlace(event.error)} ${stays(event.inForce)}`];
    case "commit-broken":
      return ["red", ...brokenInWords(event)];
    case "commit-in-force":
      return ["cyan", `commit ${short(event.commit)}${event.author === undefined ? "" : ` by ${event.author}`}: ${listed(event.targets)}`];
    case "targets-departed":
      return event.warnings.length === 0 ? undefined : ["yellow", ...event.warnings];
    case "drift-appeared":
    case "drift-changed":
      return ["yellow", `${event.target}  drift: ${difference(event)}${who(event)}${age(event, event.time)}`];
    case "drift-resolved":
      return ["green", `${event.target}  ${event.how === "healed" ? "healed" : "no longer differs"}: ${event.item.change.path}`];
    case "applied":
      return [
        "green",
        `${event.target}  applied ${count(event.applied.operations, "operation")}${event.applied.job === undefined ? "" : `, commit job ${event.applied.job}`}, verified`,
      ];
    case "plan-refused":
      return ["red", `${event.target}  refused: ${withPlace(event.error)}`];
    case "apply-failed":
      return [
        "red",
        `${event.target}  failed (try ${event.attempt}): ${withPlace(event.error)}${event.retryAt === undefined ? " On hold until the next commit." : ""}`,
      ];
    case "held":
      return ["yellow", `${event.target}  on hold (${event.reason}): ${event.message}`];
    case "paused":
      return ["yellow", pausedInWords(event.pause)];
    case "resumed":
      return ["green", `resumed: ${event.target ?? "all targets"}`];
    case "heal-guard-tripped":
      return [
        "red",
        `${event.target}  healed ${event.heals} times in an hour and it keeps returning, no longer healed: ${event.drift.item.change.path}`,
      ];
    case "written-over":
      return ["yellow", ...event.drift.map((each) => `${event.target}  overwrote a manual change: ${difference(each)}${who(each)}`)];
    case "assertion-changed":
      return [isSettled(event.judged) ? "green" : "red", `${event.target}  assertion ${assertionText(event.judged)}`];
    case "ignores-ending":
      return event.ignores.length === 0 ? undefined : ["yellow", `${event.target}  ${event.ignores.map(endOf).join("; ")}`];
    case "rollout-wave":
      return ["cyan", `roll-out, wave ${event.wave} of ${event.of}: ${listed(event.targets)}`];
    case "rollout-stopped":
      return ["red", `roll-out stopped at ${event.failed}; ${count(event.left.length, "target")} keep their configuration`];
    case "pass-ended":
      return event.result === "failed" && event.outcome?.error !== undefined
        ? ["red", `${event.target}  ${withPlace(event.outcome.error)}`]
        : undefined;
    default:
      return ofPeopleAndStore(event);
  }
}

function ofPeopleAndStore(event: AgentEvent): ShownEvent | undefined {
  switch (event.type) {
    case "store-failed":
      return ["red", `${event.error.message} Nothing is applied until the store is writable.`];
    case "store-recovered":
      return ["green", "the store is writable again"];
    case "asked":
      return ["cyan", `${event.act} of ${event.target ?? "all targets"} requested by ${event.by}`];
    case "act-refused":
      return ["yellow", `denied: ${event.by} does not have the role ${event.role} on ${event.target ?? "all targets"}`];
    case "sign-in-refused":
      return ["yellow", `sign-in refused from ${event.address}: ${event.why}`];
    default:
      return undefined;
  }
}

function brokenInWords({ commit, inForce, errors }: Extract<AgentEvent, { type: "commit-broken" }>): string[] {
  return [`commit ${short(commit)} does not load. ${stays(inForce)}`, ...errors.map(withPlace)];
}

/** Returns the message of an error with the file and the line, if they are known. */
function withPlace({ message, where: { file, line } }: Pick<PlumblineError, "message" | "where">): string {
  return file === undefined || line === undefined ? message : `${message} (${file}:${line})`;
}

/** Formats a difference with the file and the line of the declared value. */
export function difference({ item: { change }, declaredAt }: KnownDrift): string {
  const path = change.path.toString();
  const place = declaredAt === undefined ? "" : `at ${declaredAt.file}:${declaredAt.line}`;
  const declared = place === "" ? "" : ` (declared ${place})`;
  switch (change.kind) {
    case "differs":
      return `${path}  ${inline(change.before)} (declared ${inline(change.after)}${place === "" ? "" : ` ${place}`})`;
    case "missing":
      return `${path}  is missing${declared}`;
    case "extra":
      return `${path}  is not declared`;
    case "order":
      return `${path}  is in a different order`;
    case "unmanaged":
      return `${path}  is an unmanaged ${change.ofCreate === undefined ? "rule" : "object"}`;
    case "renamed":
      return `${path}  is named ${change.from}${declared}`;
  }
}

function pausedInWords({ target = "all targets", by, reason, onlyHere }: Pause): string {
  return `paused${onlyHere === true ? " for this agent only" : ""}: ${target}, by ${by}: ${reason}`;
}

function who({ item: { attribution } }: KnownDrift): string {
  if (attribution === undefined) return "";
  return `, by ${attribution.admin}${formatTime(attribution.time)}`;
}

function age({ firstSeen }: KnownDrift, now: number): string {
  const seconds = Math.max(0, Math.round((now - firstSeen) / 1000));
  if (seconds < 120) return seconds === 0 ? ", seen just now" : `, first seen ${seconds} s ago`;
  return seconds < 7200 ? `, first seen ${Math.round(seconds / 60)} min ago` : `, first seen ${Math.round(seconds / 3600)} h ago`;
}

function stays(inForce: string | undefined): string {
  return inForce === undefined ? "No commit is active." : `${short(inForce)} stays active.`;
}

function short(commit: string): string {
  return commit.slice(0, 12);
}

function listed(targets: readonly string[]): string {
  if (targets.length === 0) return "no target is touched";
  return targets.length <= 6 ? targets.join(", ") : `${targets.slice(0, 5).join(", ")} and ${targets.length - 5} more`;
}
