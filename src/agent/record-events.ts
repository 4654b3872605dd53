import type { History } from "../outcome/history.js";
import { count } from "../report/format-counts.js";
import { endOf } from "./ending-ignores.js";
import type { AgentEvent, AgentEventType, Listener } from "./events.js";
import type { Recorder } from "./recorder.js";
import { assertionText } from "./report-assertions.js";

const REMEMBERED: ReadonlySet<AgentEventType> = new Set([
  "commit-in-force",
  "commit-refused",
  "commit-broken",
  "source-rewound",
  "rollout-stopped",
  "ignores-ending",
  "assertion-changed",
  "asked",
  "signed-in",
]);

/**
 * Adds events that belong to no pass to the history, such as accepted and rejected commits, force-pushes, stopped roll-outs, sign-ins
 * and requests of users.
 */
export function recordEvents(recorder: Recorder, source: string): Listener {
  return async (event) => {
    if (!REMEMBERED.has(event.type)) return;
    await recorder.keep(async ({ sources, history }) => {
      if (event.type === "ignores-ending") return await noteEnds(event, history);
      if (event.type === "assertion-changed") return await noteAssertion(event, history);
      const did = didOf(event);
      const note = noteOf(event);
      if (did !== undefined) await history.note({ at: event.time, ...did });
      else if (note !== undefined) await history.note({ kind: "alarm", at: event.time, ...note });
      else if (event.type === "commit-in-force" && event.commit !== (await sources.lastGood(source))?.commit) {
        await sources.accept({ source, commit: event.commit, at: event.time });
      } else if (event.type === "commit-refused") {
        const { code, message } = event.error;
        await sources.refuse({ source, commit: event.commit, author: undefined, code, message, at: event.time });
      } else if (event.type === "commit-broken") {
        const [first] = event.errors;
        const message = event.errors.map((error) => error.message).join("\n");
        await sources.refuse({
          source,
          commit: event.commit,
          author: undefined,
          code: first?.code ?? "unexpected",
          message,
          at: event.time,
        });
      }
    });
  };
}

/** Pauses, resumes and approvals are not included. They are added to the history where they are stored. */
function didOf(event: AgentEvent): Omit<Parameters<History["note"]>[0], "at"> | undefined {
  if (event.type === "signed-in") {
    const { by, how, subject, address } = event;
    return { kind: "sign-in", author: by, outcome: how, summary: `from ${address}`, detail: { subject, address } };
  }
  if (event.type !== "asked" || !["plan", "reconcile", "propose"].includes(event.act)) return undefined;
  const { by, act, target, subject, address } = event;
  return { kind: "request", target, author: by, outcome: act, summary: `${act} asked for`, detail: { subject, address } };
}

/** Adds one alarm per ignore. A restarted agent does not repeat it. */
async function noteEnds({ target, ignores, time }: Extract<AgentEvent, { type: "ignores-ending" }>, history: History): Promise<void> {
  const { entries } = await history.find({ target, kinds: ["alarm"], limit: 100 });
  const known = new Set(entries.map(({ summary }) => summary));
  for (const ignore of ignores) {
    const outcome = ignore.isOver ? "ignore-ended" : "ignore-ends";
    const summary = endOf(ignore);
    if (!known.has(summary)) await history.note({ kind: "alarm", at: time, target, outcome, summary });
  }
}

/** Adds an alarm for each change. A restarted agent reports the state again, but does not repeat the alarm. */
async function noteAssertion(
  { target, judged, time }: Extract<AgentEvent, { type: "assertion-changed" }>,
  history: History,
): Promise<void> {
  const { entries } = await history.find({ target, kinds: ["alarm"], limit: 100 });
  const about = `assertion "${judged.name}"`;
  const last = entries.find(({ outcome, summary }) => outcome?.startsWith("assertion-") === true && summary.startsWith(about));
  const outcome = `assertion-${judged.state}`;
  if (last?.outcome !== outcome)
    await history.note({ kind: "alarm", at: time, target, outcome, summary: `assertion ${assertionText(judged)}` });
}

function noteOf(event: AgentEvent): { readonly target?: string; readonly outcome: string; readonly summary: string } | undefined {
  switch (event.type) {
    case "source-rewound":
      return { outcome: event.type, summary: `the branch moved to ${event.commit}, which does not descend from ${event.previous}` };
    case "rollout-stopped":
      return {
        target: event.failed,
        outcome: event.type,
        summary: `the roll-out of ${event.commit} stopped; ${count(event.left.length, "target")} keep their configuration`,
      };
    default:
      return undefined;
  }
}
