import { PlumblineError } from "../../core/errors.js";
import { parseDuration } from "../../desired/configuration/duration.js";
import { pauseOf } from "../../engine/notices.js";
import type { AtWork } from "../../engine/runs-at-work.js";
import type { Controls } from "./controls.js";
import { jsonReply, type PageReply, refusal } from "./reply.js";
import type { SignIn } from "./sessions.js";

const REASON = 300;

export interface ActionParts {
  readonly controls: Controls;
  readonly now: () => number;
  /** One line for the log. */
  readonly onAction: (fields: Readonly<Record<string, unknown>>, words: string) => void;
}

/** What somebody who is signed in asked for. */
export type Action = (body: Readonly<Record<string, unknown>>, session: SignIn, parts: ActionParts) => Promise<PageReply>;

const pause: Action = async (body, session, { controls, now, onAction }) => {
  const target = targetOf(body, controls);
  if (target === null) return unknownTarget();
  const reason = textOf(body.reason).trim();
  if (reason === "") return refusal(400, "reason-missing", "Say why, for whoever meets the pause.");
  const length = textOf(body.for);
  const milliseconds = length === "" ? undefined : parseDuration(length);
  if (length !== "" && milliseconds === undefined)
    return refusal(400, "length-unknown", `"${length}" is no length of time: write a number and s, m, h or d, such as 2h.`);
  const since = now();
  const by = `${session.name} (page)`;
  const atWork = await controls.pause({
    target,
    reason: reason.slice(0, REASON),
    by,
    since,
    until: milliseconds === undefined ? undefined : since + milliseconds,
  });
  onAction({ target, by }, "paused from the page");
  return jsonReply({ done: pausedInWords(target, atWork) });
};

/** "Paused" is said only when nothing writes any more. */
function pausedInWords(target: string | undefined, atWork: readonly AtWork[]): string {
  if (atWork.length === 0) return `${target ?? "Every target"} is paused.`;
  const said = atWork.map(({ target: name, runs, unknown }) =>
    runs === undefined
      ? `whether one that had begun still writes to ${name} cannot be told (${unknown})`
      : `${name}: ${runs.join(", ")} still writes`,
  );
  return `No run begins to write to ${target ?? "any target"} any more, but ${said.join("; ")}.`;
}

const resume: Action = async (body, session, { controls, onAction }) => {
  const target = targetOf(body, controls);
  if (target === null) return unknownTarget();
  const by = `${session.name} (page)`;
  const found = await controls.resume(target, by);
  if (!found) return refusal(409, "not-paused", `${target ?? "Everything"} is not paused here. A pause by a file ends when the file goes.`);
  onAction({ target, by }, "resumed from the page");
  const still = pauseOf(await controls.pauses(), target ?? "");
  if (still !== undefined) return jsonReply({ done: `${target ?? "Every target"} is paused still, by ${still.by}: ${still.reason}` });
  return jsonReply({ done: `${target ?? "Every target"} is resumed.` });
};

const plan: Action = async (body, session, parts) => await visit("plan", body, session, parts);
const reconcile: Action = async (body, session, parts) => await visit("reconcile", body, session, parts);

async function visit(
  wish: "plan" | "reconcile",
  body: Readonly<Record<string, unknown>>,
  session: SignIn,
  { controls, onAction }: ActionParts,
): Promise<PageReply> {
  const target = targetOf(body, controls);
  if (target === null || target === undefined) return unknownTarget();
  const mode = controls.targets().get(target)?.mode;
  if (wish === "reconcile" && mode !== "enforce")
    return refusal(
      409,
      "mode",
      `${target} has mode ${mode}: the agent does not write to it. Change its mode in git, or run reconcile by hand.`,
    );
  await controls.visit(target, wish);
  onAction({ target, by: `${session.name} (page)` }, `${wish} asked for from the page`);
  return jsonReply({ done: wish === "plan" ? `${target} is being planned.` : `${target} is being reconciled.` }, 202);
}

export const ACTIONS: Readonly<Record<string, Action>> = { pause, resume, plan, reconcile };

/** What went wrong on the way, as the page shows it. */
export function failure(error: unknown): PageReply {
  if (error instanceof PlumblineError) return jsonReply({ error: { code: error.code, message: error.message, next: error.next } }, 503);
  throw error;
}

/** Undefined for all targets, null for one that there is not. */
function targetOf(body: Readonly<Record<string, unknown>>, controls: Controls): string | undefined | null {
  if (body.all === true) return undefined;
  const name = textOf(body.target);
  return controls.targets().has(name) ? name : null;
}

function unknownTarget(): PageReply {
  return refusal(404, "target-unknown", "There is no target of that name in the commit in force.");
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}
