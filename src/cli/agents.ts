import { newRow, rememberedRow } from "../agent/page/fleet-row.js";
import { openStore } from "../agent/store/open.js";
import type { Store } from "../agent/store/store.js";
import { PlumblineError } from "../core/errors.js";
import type { Context } from "./context.js";
import type { GlobalOptions } from "./options.js";
import { findStore } from "./store.js";

/** State of the agents from their store. Empty if no agent has created a store. */
export interface AgentNews {
  /** The agents of a shared store, one line each. */
  readonly members: readonly string[];
  /** For each target with a difference: one line about its differences, from the last pass. */
  readonly standing: ReadonlyMap<string, string>;
}

export async function agentNews(flags: GlobalOptions, context: Context): Promise<AgentNews> {
  const location = await findStore(flags, context);
  let store: Store;
  try {
    store = await openStore(location, { readOnly: true });
  } catch (error) {
    if (error instanceof PlumblineError && error.code === "store-missing") return { members: [], standing: new Map() };
    throw error;
  }
  try {
    return { members: await membersOf(store), standing: await standingOf(store) };
  } finally {
    await store.close();
  }
}

async function membersOf(store: Store): Promise<readonly string[]> {
  const members = (await store.shared?.members.all()) ?? [];
  return members.map(({ hostname, pid, version, started, silent }) => {
    const since = new Date(started).toISOString().slice(0, 19);
    return `${hostname}  process ${pid}, version ${version}, since ${since}Z, heard of ${Math.round(silent / 1000)} s ago`;
  });
}

async function standingOf({ passes, drift }: Store): Promise<ReadonlyMap<string, string>> {
  const [latest, totals] = await Promise.all([passes.latest(), drift.totals()]);
  const standing = new Map<string, string>();
  for (const entry of latest) {
    const { target = "" } = entry;
    const { state, drifts, pending, who, note } = rememberedRow(newRow(target, { kind: "", mode: "" }), entry, totals.get(target));
    if (state === "in-sync" || state === "new") continue;
    const by = who === "" ? "" : ` by ${who}`;
    const counts = [
      ...(pending === 0 ? [] : [`${pending} of the commit not applied`]),
      ...(drifts === 0 ? [] : [`${drifts} changed by hand${by}`]),
    ];
    const said = [counts.join(", "), note].filter((text) => text !== "").join("; ");
    standing.set(target, said === "" ? state : `${state}: ${said}`);
  }
  return standing;
}
