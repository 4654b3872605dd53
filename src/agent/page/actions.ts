import { PlumblineError } from "../../core/errors.js";
import { parseDuration } from "../../desired/configuration/duration.js";
import type { ActiveRuns } from "../../engine/active-runs.js";
import { pauseOf } from "../../engine/notices.js";
import type { Act, Happening } from "../events.js";
import type { Store } from "../store/store.js";
import type { Controls } from "./controls.js";
import { flagsOfPlan, type KeptPlan } from "./refused-plan.js";
import { jsonReply, type PageReply, refusal } from "./reply.js";
import { type Given, guarded, type Route } from "./routes.js";

const REASON = 300;

export interface ActionParts {
  readonly controls: Controls;
  readonly store: Pick<Store, "plans" | "history" | "approvals">;
  readonly now: () => number;
  readonly emit: (happening: Happening) => Promise<void>;
}

/** Actions of the page by name. The author is the person that the gate identified, not a name in the request. */
export function actionsOf(parts: ActionParts): Readonly<Record<Exclude<Act, "propose">, Route>> {
  return {
    pause: guarded("pause", "target-or-everything", (given) => pause(given, given.target, parts)),
    resume: guarded("pause", "target-or-everything", (given) => resume(given, given.target, parts)),
    plan: guarded("plan", "target", (given) => visit("plan", given, given.target, parts)),
    reconcile: guarded("reconcile", "target", (given) => visit("reconcile", given, given.target, parts)),
    approve: guarded("approve", "target", (given) => approve(given, given.target, parts)),
    allow: guarded("allow", "target", (given) => allow(given, given.target, parts)),
  };
}

async function recordRequest(
  act: Act,
  { person, clientRequest: { client } }: Given,
  target: string | undefined,
  { emit }: ActionParts,
): Promise<void> {
  await emit({ type: "asked", act, target, by: person.by, subject: person.subject, address: client.address });
}

async function pause(given: Given, target: string | undefined, parts: ActionParts): Promise<PageReply> {
  const { controls, now } = parts;
  const { body, person } = given;
  const reason = textOf(body.reason).trim();
  if (reason === "") return refusal(400, "reason-missing", "Give a reason, for other users.");
  const length = textOf(body.for);
  const milliseconds = length === "" ? undefined : parseDuration(length);
  if (length !== "" && milliseconds === undefined)
    return refusal(400, "length-unknown", `"${length}" is not a duration. Write a number and s, m, h or d, for example 2h.`);
  const since = now();
  const until = milliseconds === undefined ? undefined : since + milliseconds;
  await recordRequest("pause", given, target, parts);
  const atWork = await controls.pause({ target, reason: reason.slice(0, REASON), by: person.by, since, until });
  return jsonReply({ done: pausedInWords(target, atWork) });
}

/** Reports "paused" only if no run still writes. */
function pausedInWords(target: string | undefined, atWork: readonly ActiveRuns[]): string {
  if (atWork.length === 0) return `${target ?? "Every target"} is paused.`;
  const atWorkText = atWork.map(({ target: name, runs, unknown }) =>
    runs === undefined
      ? `it is unknown whether an earlier run still writes to ${name} (${unknown})`
      : `${name}: ${runs.join(", ")} still writes`,
  );
  return `No run begins to write to ${target ?? "any target"} any more, but ${atWorkText.join("; ")}.`;
}

async function resume(given: Given, target: string | undefined, parts: ActionParts): Promise<PageReply> {
  const { controls } = parts;
  await recordRequest("resume", given, target, parts);
  const found = await controls.resume(target, given.person.by);
  if (!found)
    return refusal(409, "not-paused", `${target ?? "Everything"} is not paused here. A pause by a file ends when the file is deleted.`);
  const still = pauseOf(await controls.pauses(), target ?? "");
  if (still !== undefined) return jsonReply({ done: `A pause of all targets by ${still.by} remains: ${still.reason}` });
  return jsonReply({ done: `${target ?? "Every target"} is resumed.` });
}

async function visit(requested: "plan" | "reconcile", given: Given, target: string, parts: ActionParts): Promise<PageReply> {
  const { controls } = parts;
  const mode = controls.targets().get(target)?.mode;
  if (requested === "reconcile" && mode !== "enforce")
    return refusal(
      409,
      "mode",
      `${target} has mode ${mode}: the agent does not write to it. Change its mode in git, or run reconcile manually.`,
    );
  await recordRequest(requested, given, target, parts);
  await controls.visit(target, requested);
  return jsonReply({ done: requested === "plan" ? `${target} is being planned.` : `${target} is being reconciled.` }, 202);
}

/** Approves the plan that the person saw. The complete digest must match. */
async function approve(given: Given, target: string, parts: ActionParts): Promise<PageReply> {
  const { controls, store, now } = parts;
  const digest = textOf(given.body.digest);
  if (controls.targets().get(target)?.approve !== "required")
    return refusal(409, "approval-not-needed", `Plans of ${target} need no approval.`);
  if ((await newestPlan(target, digest, store)) === undefined) return otherPlan();
  const before = await store.approvals.get(target, digest);
  if (before !== undefined) return jsonReply({ done: `Plan ${digest.slice(0, 12)} of ${target} was approved already, by ${before.by}.` });
  await recordRequest("approve", given, target, parts);
  await controls.approve({ target, digest, by: given.person.by, at: now(), source: "page" });
  return jsonReply({ done: `Plan ${digest.slice(0, 12)} of ${target} is approved.` }, 202);
}

/** Overrides the refusal that the person saw. Both the plan and the flags must match. */
async function allow(given: Given, target: string, parts: ActionParts): Promise<PageReply> {
  const { controls, store, now } = parts;
  const digest = textOf(given.body.digest);
  const mode = controls.targets().get(target)?.mode;
  if (mode !== "enforce") return refusal(409, "mode", `${target} has mode ${mode}: the agent does not write to it.`);
  const plan = await newestPlan(target, digest, store);
  if (plan === undefined) return otherPlan();
  const flags = flagsOfPlan(plan) ?? [];
  if (flags.length === 0) return refusal(409, "allow-not-possible", "No guard that refuses this plan can be overridden here.");
  if (JSON.stringify(given.body.flags) !== JSON.stringify(flags)) return otherPlan();
  await recordRequest("allow", given, target, parts);
  await controls.allow({ target, digest, flags, by: given.person.by, at: now() });
  return jsonReply({ done: `${target} is tried once more, and plan ${digest.slice(0, 12)} may pass.` }, 202);
}

/** Returns the plan with that digest, if it is the newest plan of the target. */
async function newestPlan(target: string, digest: string, store: ActionParts["store"]): Promise<KeptPlan | undefined> {
  if (!/^[0-9a-f]{64}$/.test(digest)) return undefined;
  const { entries } = await store.history.find({ target, kinds: ["plan"], limit: 1 });
  return entries[0]?.detail.digest === digest ? await store.plans.get(target, digest) : undefined;
}

function otherPlan(): PageReply {
  return refusal(409, "plan-unknown", "The target has a newer plan. Check that one.");
}

/** Formats an error for the page. */
export function failure(error: unknown): PageReply {
  if (error instanceof PlumblineError) return jsonReply({ error: { code: error.code, message: error.message, next: error.next } }, 503);
  throw error;
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}
