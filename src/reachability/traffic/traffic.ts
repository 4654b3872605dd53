import { millisecondsOf, timeText } from "../../core/device-time.js";
import { throwIfStopped } from "../../core/interrupted.js";
import type { Traffic } from "../../outcome/traffic.js";
import { afterOperations } from "../../plan/after.js";
import type { InsightSource } from "../changes/insight.js";
import { treeWith } from "../changes/whole-tree.js";
import { compile } from "../flows/compile.js";
import type { Policy } from "../flows/policy.js";
import { Replay } from "../flows/replay.js";
import type { PolicyRole, Rulebase } from "../policy-role.js";
import { policyOptions } from "../predefined.js";
import type { KeptTraffic, KeptTrafficOf } from "./kept-traffic.js";
import { keptSessions, logged, type Sessions } from "./sessions.js";
import { TrafficTally } from "./traffic-tally.js";

/** Which sessions are replayed. */
export interface ReplayRequest {
  /** The last milliseconds before now, or all since a time, by the target's clock (`yyyy/mm/dd hh:mm:ss`). */
  readonly since: { readonly ago: number } | { readonly at: string };
  /** Records of its log at most, the newest. */
  readonly most: number;
  /** Source of the sessions. Default: stored sessions if there are any, otherwise the log. */
  readonly from?: "device" | "store" | undefined;
  /** Undefined if the run has no store. */
  readonly kept?: KeptTrafficOf | undefined;
}

/** Who waits for it. */
interface Waiter {
  readonly stop?: AbortSignal | undefined;
  /** Called after each page with the number of records. */
  readonly progress?: ((records: number) => void) | undefined;
}

/** Two versions of one rulebase, and the sessions that it judged. */
interface Court {
  readonly replay: Replay;
  readonly tally: TrafficTally;
  readonly before: Policy;
}

/**
 * Replays logged sessions against the planned rules: stored ones if there are any, otherwise from the target's log. Undefined if the target
 * has no rules or no session log, or if the plan changes no path that rules depend on. An error is part of the result and never blocks the
 * plan.
 */
export async function trafficOf(
  role: PolicyRole | undefined,
  source: InsightSource,
  request: ReplayRequest,
  waiter: Waiter = {},
): Promise<Traffic | undefined> {
  const { target, changed } = source;
  const { logs } = target;
  if (role === undefined || logs === undefined || !changed.some((path) => role.concerns(path))) return undefined;
  const { sessionLog } = await role.load();
  if (sessionLog === undefined) return undefined;
  let since = "";
  try {
    const { kept, because } = await keptOf(target.name, request);
    const now = kept !== undefined || "ago" in request.since ? await logs.deviceTime() : undefined;
    since = endOf(now, request);
    const search = { ...waiter, most: request.most, since };
    const sessions = kept === undefined ? logged(logs, sessionLog, search, because) : keptSessions(kept, now, search, logs, sessionLog);
    since = sessions.since;
    const lastCommit = await sessions.lastCommit();
    return { since, ...(await replayed(sessions, lastCommit, await rulebasesOf(role, source), waiter)) };
  } catch (error) {
    if (waiter.stop !== undefined) throwIfStopped(waiter.stop);
    return { since, notJudged: 0, scopes: [], failure: wordsOf(error) };
  }
}

async function keptOf(target: string, { from, kept }: ReplayRequest): Promise<{ readonly kept?: KeptTraffic; readonly because?: string }> {
  if (from === "device" || kept === undefined) return {};
  let because = `no agent has kept traffic of ${target}`;
  try {
    const found = await kept(target);
    if (found !== undefined) return { kept: found };
    if (from === undefined) return {};
  } catch (error) {
    because = wordsOf(error);
  }
  if (from === "store") throw new Error(because);
  return { because };
}

function endOf(now: string | undefined, { since }: ReplayRequest): string {
  if ("at" in since) return since.at;
  if (now === undefined) throw new Error("the target's own clock cannot be read");
  return timeText(millisecondsOf(now) - since.ago);
}

async function rulebasesOf(
  role: PolicyRole,
  { target, plan, live, desired, configuration, view }: InsightSource,
): Promise<readonly Rulebase[]> {
  const read = { target, subtrees: live.subtrees, tree: live.candidate, view, borrowed: role.borrowed };
  const tree = await treeWith(role.subtrees(desired.root, configuration), read);
  const reader = await role.load();
  const planned = afterOperations(tree, plan.operations);
  const versions = [tree, planned];
  return reader.rulebases(versions, await policyOptions(reader, versions, [], { target, desired, configuration }));
}

async function replayed(
  sessions: Sessions,
  lastCommit: string | undefined,
  rulebases: readonly Rulebase[],
  { progress }: Waiter,
): Promise<Pick<Traffic, "scopes" | "backTo" | "notJudged" | "source">> {
  const courts = new Map<string, Court | undefined>();
  const courtOf = (scope: string): Court | undefined => {
    if (!courts.has(scope)) courts.set(scope, courtFor(scope, rulebases, lastCommit));
    return courts.get(scope);
  };
  let [records, notJudged] = [0, 0];
  for await (const page of sessions.pages) {
    for (const logged of page.sessions) {
      const court = courtOf(logged.scope);
      const judged = court?.replay.judge(logged.session);
      if (judged === undefined) notJudged += logged.times;
      else court?.tally.add(logged, judged);
    }
    notJudged += page.unread;
    records += page.records;
    progress?.(records);
  }
  const scopes = [...courts.values()].flatMap((court) => (court === undefined ? [] : [court.tally.result(court.before.rules)]));
  return { scopes, notJudged, backTo: sessions.backTo(), source: sessions.source() };
}

/** Undefined for firewalls of a manager: its log does not contain the virtual system, so their sessions are judged at the firewalls. */
function courtFor(scope: string, rulebases: readonly Rulebase[], lastCommit: string | undefined): Court | undefined {
  const [before, after] = rulebases.find((each) => each.scope === scope && each.firewalls === undefined)?.policies() ?? [];
  if (before === undefined || after === undefined) return undefined;
  const model = compile([before, after]);
  const [one, other] = model.policies;
  if (one === undefined || other === undefined) throw new Error("two policies make two");
  return { replay: new Replay(model, one, other), tally: new TrafficTally(scope, lastCommit), before };
}

const wordsOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
