import { isSettled } from "../../outcome/assertion.js";
import { formatUnfinished } from "../../outcome/format-unfinished.js";
import { isInSync } from "../../outcome/in-sync.js";
import { overdue } from "../../outcome/managed-firewalls.js";
import { formatDisconnected } from "../../report/firewalls.js";
import { openedLines } from "../../report/opened-flows.js";
import { endOf } from "../ending-ignores.js";
import { difference } from "../event-text.js";
import type { AgentEvent, HoldReason, KnownDrift } from "../events.js";
import { assertionText } from "../report-assertions.js";
import { fleetNoticeStates } from "./fleet-notice-states.js";
import type { NoticeState } from "./notice.js";
import { beganState, errorLines, formatMinute, listed, short, usual } from "./notice-draft.js";

const MOST_AUTHORS = 3;

/** Holds that are reported. The others end without action, or their cause is reported. */
const REPORTED: ReadonlySet<HoldReason> = new Set(["window", "heal-guard", "approval", "locked", "notices", "ledger", "retries-spent"]);

type Of<Type extends AgentEvent["type"]> = Extract<AgentEvent, { readonly type: Type }>;

/** Returns the states that an event contains, for people. The same event always returns the same states. */
export function noticeStates(event: AgentEvent): NoticeState[] {
  switch (event.type) {
    case "pass-ended":
      return [...afterPass(event), ...absent(event)];
    case "plan-refused":
      return [planRefused(event)];
    case "apply-failed":
      return [applyFailed(event)];
    case "held":
      return held(event);
    case "heal-guard-tripped":
      return [healGuard(event)];
    case "written-over":
      return [writtenOver(event)];
    case "assertion-changed":
      return [assertionChanged(event)];
    case "ignores-ending":
      return [ignoresEnding(event)];
    case "released":
      return REPORTED.has(event.reason) ? [noLongerHeld(event.target, event.time)] : [];
    case "paused":
    case "resumed":
      return [pausing(event)];
    default:
      return fleetNoticeStates(event);
  }
}

function afterPass(event: Of<"pass-ended">): NoticeState[] {
  const { target, result, outcome, time, commit, waiting } = event;
  const about = { target, commit, at: time };
  if (result === "failed") {
    if (outcome?.error === undefined || outcome.plan !== undefined) return [];
    const lines = errorLines(outcome.error);
    return [
      beganState(`reach ${target}`, "failed", {
        ...about,
        topic: "failed",
        title: `${target}: the pass failed`,
        lines,
        look: `plumbline status ${target}`,
      }),
    ];
  }
  if (result === "held") return [];
  const look = `plumbline history ${target}`;
  const answers = usual(`reach ${target}`, "ok", { ...about, topic: "recovered", title: `${target} answers again`, lines: [], look });
  if (result === "drifted") return [answers, drifted(event)];
  if (waiting !== undefined) return event.drift.length > 0 ? [answers] : [answers, nobodysChange(event)];
  if (result === "skipped" || result === "refused") return [answers];
  const applies = usual(`apply ${target}`, "ok", {
    ...about,
    topic: "recovered",
    title: `${target} can be applied again`,
    lines: [],
    look,
  });
  if (formatUnfinished(event.outcome ?? {}) !== undefined) return [answers, applies, noLongerHeld(target, time)];
  if (event.outcome !== undefined && !isInSync(event.outcome)) return [answers];
  const healed = result === "applied" ? ["The agent wrote it and read it back equal."] : [];
  return [
    answers,
    usual(`drift ${target}`, "in-sync", { ...about, topic: "in-sync", title: `${target} is in sync again`, lines: healed, look }),
    applies,
    noLongerHeld(target, time),
  ];
}

/** Returns the state of firewalls that are disconnected for too long. It changes only if the set of these firewalls changes. */
function absent({ target, outcome, time }: Of<"pass-ended">): NoticeState[] {
  const { firewalls } = outcome ?? {};
  if (firewalls === undefined || firewalls.failure !== undefined) return [];
  const rows = new Map(overdue(firewalls).map((row) => [row.serial, row]));
  const about = { topic: "away" as const, target, look: `plumbline status ${target}`, at: time };
  if (rows.size === 0)
    return [usual(`away ${target}`, "none", { ...about, title: `${target}: no firewall is away for too long`, lines: [] })];
  const lines = [...rows.values()].map(({ serial, hostname, away }) => `${hostname ?? ""} ${serial}  ${formatDisconnected(away)}`.trim());
  const since = Math.min(...[...rows.values()].map(({ away }) => Date.parse(away?.since ?? "")).filter(Number.isFinite));
  const title = `${target}: ${rows.size === 1 ? "a firewall is" : `${rows.size} firewalls are`} away for too long`;
  return [beganState(`away ${target}`, [...rows.keys()].sort().join(" "), { ...about, title, lines: listed(lines), since })];
}

function drifted({ target, drift, commit, time, outcome }: Of<"pass-ended">): NoticeState {
  return beganState(`drift ${target}`, "drift", {
    topic: "drift",
    target,
    title: `${target} differs from the repository`,
    lines: [...listed(drift.map(difference)), ...openedLines(outcome?.insight)],
    since: drift.reduce((oldest, { firstSeen }) => Math.min(oldest, firstSeen), time),
    by: authorsOf(drift),
    commit,
    look: `plumbline drift --target ${target}`,
    at: time,
  });
}

/** Reports the end of drift. While a commit is pending, the target is still not in sync. */
function nobodysChange({ target, commit, waiting, time }: Of<"pass-ended">): NoticeState {
  const title = `${target}: manual changes were reverted`;
  const lines = [`The commit still waits: ${waiting?.held ?? "it failed"}.`];
  return usual(`drift ${target}`, "in-sync", {
    topic: "in-sync",
    target,
    title,
    lines,
    commit,
    look: `plumbline history ${target}`,
    at: time,
  });
}

function planRefused({ target, commit, refusals, error, time }: Of<"plan-refused">): NoticeState {
  const lines = refusals.length === 0 ? errorLines(error) : listed(refusals.map(({ guard, message }) => `${guard}: ${message}`));
  const look = `plumbline plan --target ${target}`;
  const title = `${target}: the plan is refused`;
  return beganState(`apply ${target}`, `refused ${commit}`, { topic: "refused", target, title, lines, commit, look, at: time });
}

function applyFailed({ target, commit, error, attempt, retryAt, time }: Of<"apply-failed">): NoticeState {
  const next = retryAt === undefined ? "On hold until the next commit." : `Tried again at ${formatMinute(retryAt)}.`;
  const title = `${target}: applying ${short(commit)} failed (try ${attempt})`;
  const lines = [...errorLines(error), next];
  const state = `failed ${commit}${retryAt === undefined ? " held" : ""}`;
  return beganState(`apply ${target}`, state, {
    topic: "failed",
    target,
    title,
    lines,
    commit,
    look: `plumbline history ${target}`,
    at: time,
  });
}

function held({ target, reason, message, until, time }: Of<"held">): NoticeState[] {
  if (!REPORTED.has(reason)) return [];
  const lines = [message, ...(until === undefined ? [] : [`Until ${formatMinute(until)}.`])];
  const title = `${target} waits: ${reason}`;
  const topic = reason === "heal-guard" ? "heal-guard" : "held";
  return [beganState(`hold ${target}`, reason, { topic, target, title, lines, look: `plumbline history ${target}`, at: time })];
}

function healGuard({ target, drift, heals, time }: Of<"heal-guard-tripped">): NoticeState {
  return beganState(`hold ${target}`, "heal-guard", {
    topic: "heal-guard",
    target,
    title: `${target} is no longer healed: healed ${heals} times in an hour, and it keeps returning`,
    lines: [difference(drift), `Find the cause, then \`plumbline resume ${target}\`.`],
    since: drift.firstSeen,
    by: authorsOf([drift]),
    look: `plumbline drift --target ${target}`,
    at: time,
  });
}

function writtenOver({ target, commit, drift, time }: Of<"written-over">): NoticeState {
  return beganState(`written over ${target}`, `${commit} ${drift.map(({ key }) => key).join(" ")}`, {
    topic: "drift",
    target,
    title: `${target}: ${short(commit)} overwrote a manual change`,
    lines: listed(drift.map(difference)),
    by: authorsOf(drift),
    commit,
    look: `plumbline history ${target} --kind drift`,
    at: time,
  });
}

function assertionChanged({ target, commit, judged, time }: Of<"assertion-changed">): NoticeState {
  const about = { topic: "assertion" as const, target, commit, look: `plumbline drift --target ${target}`, at: time };
  const subject = `assertion ${target} ${judged.scope} ${judged.name}`;
  const text = assertionText(judged);
  if (isSettled(judged)) return usual(subject, judged.state, { ...about, title: `${target}: assertion ${text}`, lines: [] });
  const [what = "", ...lines] = text.split("; ");
  return beganState(subject, judged.state, {
    ...about,
    title: `${target}: assertion ${what}`,
    lines,
    by: judged.witness?.admin ?? judged.selected?.admin,
  });
}

function ignoresEnding({ target, ignores, time }: Of<"ignores-ending">): NoticeState {
  const about = { topic: "ignore" as const, target, look: `plumbline drift --target ${target}`, at: time };
  if (ignores.length === 0) return usual(`ignores ${target}`, "none", { ...about, title: `${target}: no ignore ends soon`, lines: [] });
  const lines = [...listed(ignores.map(endOf)), "From the next day, the ignored differences count, and plans are refused."];
  const some = ignores.some(({ isOver }) => isOver) ? "an ignore has ended" : "an ignore ends";
  const state = ignores.map(({ path, until, isOver }) => `${until} ${isOver} ${path}`).join("\n");
  return beganState(`ignores ${target}`, state, { ...about, title: `${target}: ${some}`, lines });
}

function noLongerHeld(target: string, at: number): NoticeState {
  const title = `${target} is no longer on hold`;
  return usual(`hold ${target}`, "none", { topic: "released", target, title, lines: [], look: `plumbline history ${target}`, at });
}

function pausing(event: Of<"paused" | "resumed">): NoticeState {
  const look = "plumbline history --kind pause --kind resume";
  if (event.type === "resumed") {
    const { target, why, time } = event;
    const title = `${target ?? "Every target"} is no longer paused${why === "expired" ? ": its time is over" : ""}`;
    return usual(`pause ${target ?? "*"}`, "none", { topic: "resumed", target, title, lines: [], look, at: time });
  }
  const { target, reason, by, since, until } = event.pause;
  const lines = [reason, until === undefined ? "Until it is resumed." : `Until ${formatMinute(until)}.`];
  const title = `${target ?? "Every target"} is paused`;
  return beganState(`pause ${target ?? "*"}`, `paused ${since}`, {
    topic: "paused",
    target,
    title,
    lines,
    since,
    by,
    look,
    at: event.time,
  });
}

function authorsOf(drift: readonly KnownDrift[]): string | undefined {
  const names = new Set(drift.flatMap(({ item: { attribution } }) => attribution?.admin ?? []));
  const shown = [...names].slice(0, MOST_AUTHORS).join(", ");
  if (names.size === 0) return undefined;
  return names.size > MOST_AUTHORS ? `${shown} and ${names.size - MOST_AUTHORS} more` : shown;
}
