import { type FleetRow, type FleetState, newRow, rememberedRow } from "../agent/page/fleet-row.js";
import { isStopped, type RolloutStatus, storedStatuses, waitingIn } from "../agent/rollouts.js";
import { openStore } from "../agent/store/open.js";
import type { Store } from "../agent/store/store.js";
import { PlumblineError } from "../core/errors.js";
import { count } from "../report/format-counts.js";
import type { Context } from "./context.js";
import type { GlobalOptions } from "./options.js";
import { currentRepository } from "./repository-name.js";
import { findStore } from "./store.js";

/** Sync state of a target at the end of the agent's last pass. */
export interface CheckedState {
  readonly state: FleetState;
  /** End of that pass (ISO 8601). */
  readonly checked: string;
  /** What differs or why the pass failed. Empty if the target was in sync. */
  readonly detail: string;
  /** Number of unmanaged entries in the last pass that counted them. Undefined if unknown. */
  readonly unmanaged: number | undefined;
}

/** State of the agents from their store. Empty if no agent has created a store. */
export interface AgentNews {
  /** The agents of a shared store, one line each. */
  readonly members: readonly string[];
  /** By target. A target that no agent has compared is missing. */
  readonly states: ReadonlyMap<string, CheckedState>;
}

export async function agentNews(flags: GlobalOptions, context: Context): Promise<AgentNews> {
  const location = await findStore(flags, context);
  let store: Store;
  try {
    store = await openStore(location, { readOnly: true, repository: await currentRepository(flags, context) });
  } catch (error) {
    if (error instanceof PlumblineError && error.code === "store-missing") return { members: [], states: new Map() };
    throw error;
  }
  try {
    return { members: await membersOf(store), states: await statesOf(store) };
  } finally {
    await store.close();
  }
}

async function membersOf(store: Store): Promise<readonly string[]> {
  const members = (await store.shared?.members.all()) ?? [];
  return members.map(({ hostname, pid, version, started, silent }) => {
    const since = new Date(started).toISOString().slice(0, 19);
    return `${hostname}  process ${pid}, version ${version}, since ${since}Z, last seen ${Math.round(silent / 1000)} s ago`;
  });
}

async function statesOf(store: Store): Promise<ReadonlyMap<string, CheckedState>> {
  const { passes, drift } = store;
  const [latest, full, totals, rollouts] = await Promise.all([passes.latest(), passes.latestFull(), drift.totals(), storedStatuses(store)]);
  const counted = new Map(full.map(({ entry: { target, detail } }) => [target, detail.unmanaged]));
  const states = new Map<string, CheckedState>();
  for (const entry of latest) {
    const { target = "" } = entry;
    const row = rememberedRow(newRow(target, { kind: "", mode: "" }), entry, totals.get(target));
    if (row.state === "new") continue;
    const checked = new Date(entry.ended ?? entry.at).toISOString();
    const waits = rollouts.find((rollout) => waitingIn(rollout)(target, entry.detail.commit));
    const state = waits !== undefined && row.state === "in-sync" ? "pending" : row.state;
    const detail = [detailOf(row), waits === undefined ? "" : waitDetail(waits)].filter((text) => text !== "").join("; ");
    const unmanaged = counted.get(target);
    states.set(target, { state, checked, detail, unmanaged: typeof unmanaged === "number" ? unmanaged : undefined });
  }
  return states;
}

/** Describes why a target does not have the commit of a roll-out yet. */
function waitDetail(rollout: RolloutStatus): string {
  const { commit, wave, of, failed } = rollout;
  const place = `wave ${wave} of ${of}`;
  if (!isStopped(rollout)) return `commit ${commit.slice(0, 12)} waits for a later wave of its roll-out, which is in ${place}`;
  return `the roll-out of commit ${commit.slice(0, 12)} stopped in ${place} at ${failed.join(", ")}. Fix the cause, then run: plumbline reconcile ${failed[0] ?? ""}`;
}

function detailOf({ drifts, pending, who, note }: FleetRow): string {
  const counts = [
    ...(pending === 0 ? [] : [`${count(pending, "change")} of the commit not applied`]),
    ...(drifts === 0 ? [] : [`${count(drifts, "manual change")}${who === "" ? "" : ` by ${who}`}`]),
  ];
  return [counts.join(", "), note].filter((text) => text !== "").join("; ");
}
