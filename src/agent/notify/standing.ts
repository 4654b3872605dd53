import type { Topic } from "../../desired/configuration/notify.js";
import type { PlumblineError } from "../../errors.js";
import { printable } from "../../report/printable.js";
import type { AgentEvent, HoldReason, KnownDrift } from "../events.js";
import { difference } from "../tell.js";
import type { Notice, Standing } from "./notice.js";

const MOST_LINES = 5;
const MOST_AUTHORS = 3;
/** Failed fetches before anybody is told: a remote may be away for a moment. */
const FETCHES = 3;

/** Holds that people want to know of; the others pass by themselves, or are told as what they come from. */
const TOLD: ReadonlySet<HoldReason> = new Set(["window", "heal-guard", "approval", "locked", "retries-spent"]);

type Of<Type extends AgentEvent["type"]> = Extract<AgentEvent, { readonly type: Type }>;

/** The states that an event shows, for people. The same event seen again shows the same states. */
export function standingOf(event: AgentEvent): Standing[] {
  switch (event.type) {
    case "pass-ended":
      return afterPass(event);
    case "plan-refused":
      return [planRefused(event)];
    case "apply-failed":
      return [applyFailed(event)];
    case "held":
      return held(event);
    case "heal-guard-tripped":
      return [healGuard(event)];
    case "released":
      return TOLD.has(event.reason) ? [noLongerHeld(event.target, event.time)] : [];
    case "paused":
    case "resumed":
      return [pausing(event)];
    default:
      return ofAll(event);
  }
}

function afterPass(event: Of<"pass-ended">): Standing[] {
  const { target, result, outcome, time, commit } = event;
  const about = { target, commit, at: time };
  if (result === "failed") {
    if (outcome?.error === undefined || outcome.plan !== undefined) return [];
    const lines = errorLines(outcome.error);
    return [
      told(`reach ${target}`, "failed", {
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
  if (result === "skipped" || result === "refused") return [answers];
  const healed = result === "applied" ? ["The agent wrote it and read it back equal."] : [];
  return [
    answers,
    usual(`drift ${target}`, "in-sync", { ...about, topic: "in-sync", title: `${target} is in sync again`, lines: healed, look }),
    usual(`apply ${target}`, "ok", { ...about, topic: "recovered", title: `${target} can be applied again`, lines: [], look }),
    noLongerHeld(target, time),
  ];
}

function drifted({ target, drift, commit, time }: Of<"pass-ended">): Standing {
  return told(`drift ${target}`, "drift", {
    topic: "drift",
    target,
    title: `${target} differs from the repository`,
    lines: listed(drift.map(difference)),
    since: drift.reduce((oldest, { firstSeen }) => Math.min(oldest, firstSeen), time),
    by: authorsOf(drift),
    commit,
    look: `plumbline drift --target ${target}`,
    at: time,
  });
}

function planRefused({ target, commit, refusals, error, time }: Of<"plan-refused">): Standing {
  const lines = refusals.length === 0 ? errorLines(error) : listed(refusals.map(({ guard, message }) => `${guard}: ${message}`));
  const look = `plumbline plan --target ${target}`;
  const title = `${target}: the plan is refused`;
  return told(`apply ${target}`, `refused ${commit}`, { topic: "refused", target, title, lines, commit, look, at: time });
}

function applyFailed({ target, commit, error, attempt, retryAt, time }: Of<"apply-failed">): Standing {
  const next = retryAt === undefined ? "Held until git moves." : `Tried again at ${moment(retryAt)}.`;
  const title = `${target}: applying ${short(commit)} failed (try ${attempt})`;
  const lines = [...errorLines(error), next];
  const state = `failed ${commit}${retryAt === undefined ? " held" : ""}`;
  return told(`apply ${target}`, state, { topic: "failed", target, title, lines, commit, look: `plumbline history ${target}`, at: time });
}

function held({ target, reason, message, until, time }: Of<"held">): Standing[] {
  if (!TOLD.has(reason)) return [];
  const lines = [message, ...(until === undefined ? [] : [`Until ${moment(until)}.`])];
  const title = `${target} waits: ${reason}`;
  const topic = reason === "heal-guard" ? "heal-guard" : "held";
  return [told(`hold ${target}`, reason, { topic, target, title, lines, look: `plumbline history ${target}`, at: time })];
}

function healGuard({ target, drift, heals, time }: Of<"heal-guard-tripped">): Standing {
  return told(`hold ${target}`, "heal-guard", {
    topic: "heal-guard",
    target,
    title: `${target} is left alone: healed ${heals} times in an hour, and changed back`,
    lines: [difference(drift), `Find who or what changes it, then \`plumbline resume ${target}\`.`],
    since: drift.firstSeen,
    by: authorsOf([drift]),
    look: `plumbline drift --target ${target}`,
    at: time,
  });
}

function noLongerHeld(target: string, at: number): Standing {
  const title = `${target} is no longer held`;
  return usual(`hold ${target}`, "none", { topic: "released", target, title, lines: [], look: `plumbline history ${target}`, at });
}

function pausing(event: Of<"paused" | "resumed">): Standing {
  const look = "plumbline history --kind pause --kind resume";
  if (event.type === "resumed") {
    const { target, why, time } = event;
    const title = `${target ?? "Every target"} is no longer paused${why === "expired" ? ": its time is over" : ""}`;
    return usual(`pause ${target ?? "*"}`, "none", { topic: "resumed", target, title, lines: [], look, at: time });
  }
  const { target, reason, by, since, until } = event.pause;
  const lines = [reason, until === undefined ? "Until somebody resumes it." : `Until ${moment(until)}.`];
  const title = `${target ?? "Every target"} is paused`;
  return told(`pause ${target ?? "*"}`, `paused ${since}`, { topic: "paused", target, title, lines, since, by, look, at: event.time });
}

/** Of what concerns all targets. */
function ofAll(event: AgentEvent): Standing[] {
  const at = event.time;
  switch (event.type) {
    case "commit-refused":
    case "commit-broken": {
      const { commit, inForce } = event;
      const errors = event.type === "commit-refused" ? [event.error] : event.errors;
      const stays = inForce === undefined ? "No commit is in force." : `${short(inForce)} stays in force.`;
      const title = `commit ${short(commit)} ${event.type === "commit-refused" ? "is refused" : "does not load"}`;
      const lines = [...listed(errors.map(({ message }) => message)), stays];
      return [
        told("source", `${event.type} ${commit}`, { topic: "source", title, lines, commit, look: "plumbline history --kind commit", at }),
      ];
    }
    case "commit-in-force": {
      const { commit, author } = event;
      const title = `commit ${short(commit)} is in force`;
      return [
        usual("source", "ok", { topic: "source", title, lines: [], by: author, commit, look: "plumbline history --kind commit", at }),
      ];
    }
    case "source-failed": {
      if (event.failures < FETCHES) return [];
      const lines = [...errorLines(event.error), "Targets are kept at the last good commit."];
      const title = "the repository does not answer";
      return [told("remote", "away", { topic: "source", title, lines, since: event.since, look: "plumbline history --kind commit", at })];
    }
    case "source-fetched":
      return [
        usual("remote", "ok", {
          topic: "source",
          title: "the repository answers again",
          lines: [],
          look: "plumbline history --kind commit",
          at,
        }),
      ];
    case "rollout-stopped": {
      const { commit, failed, left } = event;
      const title = `the roll-out of ${short(commit)} stopped at ${failed}`;
      const lines = [`${left.length} targets keep what they have.`];
      return [told("rollout", `stopped ${commit}`, { topic: "rollout", title, lines, commit, look: `plumbline history ${failed}`, at })];
    }
    case "rollout-ended": {
      const title = `the roll-out of ${short(event.commit)} came to its end`;
      return [
        usual("rollout", "ok", { topic: "rollout", title, lines: [], commit: event.commit, look: "plumbline history --kind pass", at }),
      ];
    }
    case "store-failed": {
      const lines = [...errorLines(event.error), "Drift is still looked for; nothing is applied."];
      return [told("store", "failed", { topic: "store", title: "the store cannot be written", lines, look: "plumbline history", at })];
    }
    case "store-recovered":
      return [usual("store", "ok", { topic: "store", title: "the store can be written again", lines: [], look: "plumbline history", at })];
    default:
      return [];
  }
}

type Draft = Pick<Notice, "title" | "lines" | "look" | "at"> & { readonly topic: Topic } & Partial<Notice>;

function told(subject: string, state: string, draft: Draft): Standing {
  return { audience: "people", subject, state, isUsual: false, notice: noticeOf(draft) };
}

function usual(subject: string, state: string, draft: Draft): Standing {
  return { audience: "people", subject, state, isUsual: true, notice: noticeOf(draft) };
}

function noticeOf(draft: Draft): Notice {
  const { lines, by } = draft;
  return {
    target: undefined,
    since: undefined,
    commit: undefined,
    ...draft,
    title: printable(draft.title),
    lines: lines.map(printable),
    by: by === undefined ? undefined : printable(by),
  };
}

function errorLines({ message, next }: PlumblineError): string[] {
  return next === undefined ? [message] : [message, next];
}

function listed(lines: readonly string[]): string[] {
  return lines.length <= MOST_LINES ? [...lines] : [...lines.slice(0, MOST_LINES), `and ${lines.length - MOST_LINES} more`];
}

function authorsOf(drift: readonly KnownDrift[]): string | undefined {
  const names = new Set(drift.flatMap(({ item: { attribution } }) => attribution?.admin ?? []));
  const shown = [...names].slice(0, MOST_AUTHORS).join(", ");
  if (names.size === 0) return undefined;
  return names.size > MOST_AUTHORS ? `${shown} and ${names.size - MOST_AUTHORS} more` : shown;
}

function short(commit: string | undefined): string {
  return commit === undefined ? "it" : commit.slice(0, 12);
}

/** A time in UTC, to the minute. */
export function moment(milliseconds: number): string {
  return `${new Date(milliseconds).toISOString().slice(0, 16).replace("T", " ")} UTC`;
}
