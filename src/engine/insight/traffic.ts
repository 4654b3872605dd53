import { goOnUnless } from "../../core/interrupted.js";
import { compile } from "../../insight/compile.js";
import type { Policy } from "../../insight/policy.js";
import { Replay } from "../../insight/replay.js";
import type { Traffic } from "../../outcome/traffic.js";
import { afterOperations } from "../../plan/after.js";
import type { PolicyRole, Rulebase, SessionLog } from "../policies.js";
import type { Logs } from "../target.js";
import { millisecondsOf, timeText } from "../watch/times.js";
import { declaredAt } from "./declared-at.js";
import type { InsightSource } from "./insight.js";
import { TrafficTally } from "./traffic-tally.js";
import { treeWith } from "./whole-tree.js";

/** Which sessions are replayed. */
export interface ReplayWish {
  /** Those of so many milliseconds before now, by the target's clock, or from a moment of it on (`yyyy/mm/dd hh:mm:ss`). */
  readonly since: { readonly ago: number } | { readonly at: string };
  /** Records at most, the newest. */
  readonly most: number;
}

/** Who waits for it. */
interface Waiter {
  readonly stop?: AbortSignal | undefined;
  /** Told how many records were read, after each page. */
  readonly told?: ((records: number) => void) | undefined;
}

/** Two versions of one rulebase, and the sessions that it judged. */
interface Court {
  readonly replay: Replay;
  readonly tally: TrafficTally;
  readonly before: Policy;
}

/**
 * What becomes of sessions that the target logged. Undefined where it has no rules or no log of sessions, and where the plan changes
 * nothing that rules match by. It stops nothing: what goes wrong with it is what it does not know.
 */
export async function trafficOf(
  role: PolicyRole | undefined,
  source: InsightSource,
  wish: ReplayWish,
  waiter: Waiter = {},
): Promise<Traffic | undefined> {
  const { target, changed } = source;
  if (role === undefined || target.logs === undefined || !changed.some((path) => role.concerns(path))) return undefined;
  const { sessionLog } = await role.load();
  if (sessionLog === undefined) return undefined;
  let since = "";
  try {
    since = await momentOf(target.logs, wish);
    const [lastCommit, rulebases] = [await lastCommitOf(target.logs, sessionLog), await rulebasesOf(role, source)];
    return { since, ...(await replayed(target.logs, sessionLog, { ...waiter, most: wish.most, since, lastCommit }, rulebases)) };
  } catch (error) {
    if (waiter.stop !== undefined) goOnUnless(waiter.stop);
    return { since, notJudged: 0, scopes: [], failure: error instanceof Error ? error.message : String(error) };
  }
}

async function momentOf(logs: Logs, { since }: ReplayWish): Promise<string> {
  if ("at" in since) return since.at;
  const now = await logs.deviceTime();
  if (now === undefined) throw new Error("the target's own clock cannot be read");
  return timeText(millisecondsOf(now) - since.ago);
}

async function lastCommitOf(logs: Logs, { commits }: SessionLog): Promise<string | undefined> {
  for await (const [record] of logs.pages({ ...commits, since: undefined, count: 1, direction: "backward" }))
    return record?.get("receive_time");
  return undefined;
}

async function rulebasesOf(
  role: PolicyRole,
  { target, plan, live, desired, configuration, view }: InsightSource,
): Promise<readonly Rulebase[]> {
  const read = { target, subtrees: live.subtrees, tree: live.candidate, view, borrowed: role.borrowed };
  const tree = await treeWith(role.subtrees(desired.root, configuration), read);
  const reader = await role.load();
  const planned = afterOperations(tree, plan.operations);
  return reader.rulebases([tree, planned], { configuration, locate: (path) => declaredAt(desired, path) });
}

interface Search extends Waiter, Pick<ReplayWish, "most"> {
  readonly since: string;
  readonly lastCommit: string | undefined;
}

async function replayed(
  logs: Logs,
  { type, read }: SessionLog,
  { since, most, stop, told, lastCommit }: Search,
  rulebases: readonly Rulebase[],
): Promise<Pick<Traffic, "scopes" | "backTo" | "notJudged">> {
  const courts = new Map<string, Court | undefined>();
  const courtOf = (scope: string): Court | undefined => {
    if (!courts.has(scope)) courts.set(scope, courtFor(scope, rulebases, lastCommit));
    return courts.get(scope);
  };
  let [records, notJudged] = [0, 0];
  let oldest: string | undefined;
  for await (const page of logs.pages({ type, query: undefined, since, count: most, direction: "backward" }, { stop })) {
    for (const record of page) {
      const logged = read(record);
      if (logged === "begun") continue;
      const court = logged === undefined ? undefined : courtOf(logged.scope);
      const judged = logged === undefined ? undefined : court?.replay.judge(logged.session);
      if (logged === undefined || judged === undefined) notJudged += logged?.times ?? 1;
      else court?.tally.add(logged, judged);
    }
    records += page.length;
    oldest = page.at(-1)?.get("receive_time") ?? oldest;
    told?.(records);
  }
  const scopes = [...courts.values()].flatMap((court) => (court === undefined ? [] : [court.tally.result(court.before.rules)]));
  return { scopes, notJudged, backTo: records >= most ? oldest : undefined };
}

/** Sessions of a manager's firewalls are not told apart by virtual systems: theirs are judged at the firewalls. */
function courtFor(scope: string, rulebases: readonly Rulebase[], lastCommit: string | undefined): Court | undefined {
  const [before, after] = rulebases.find((each) => each.scope === scope && each.firewalls === undefined)?.policies() ?? [];
  if (before === undefined || after === undefined) return undefined;
  const model = compile([before, after]);
  const [one, other] = model.policies;
  if (one === undefined || other === undefined) throw new Error("two policies make two");
  return { replay: new Replay(model, one, other), tally: new TrafficTally(scope, lastCommit), before };
}
