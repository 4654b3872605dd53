import pLimit from "p-limit";
import { type ActiveRunAccess, type ActiveRuns, runsAtWork } from "../engine/active-runs.js";
import { LeasePlace } from "../engine/lease/lease-place.js";
import type { Contexts } from "./contexts.js";

const CONCURRENCY = 8;

/** Returns the runs that work on these targets, from locks and leases, and the targets for which this is unknown. */
export async function activeRuns(
  names: readonly string[],
  contexts: Contexts,
  how: Omit<ActiveRunAccess, "leases">,
): Promise<readonly ActiveRuns[]> {
  const limit = pLimit(CONCURRENCY);
  const found = await Promise.all(names.map((name) => limit(() => runsOnOne(name, contexts, how))));
  return found.filter(({ runs }) => runs === undefined || runs.length > 0);
}

async function runsOnOne(target: string, contexts: Contexts, how: Omit<ActiveRunAccess, "leases">): Promise<ActiveRuns> {
  try {
    const {
      configuration,
      owner,
      records: { leases },
    } = await contexts.of(target);
    return await runsAtWork(configuration, { ...how, leases: new LeasePlace(leases, owner) });
  } catch (error) {
    return { target, runs: undefined, unknown: error instanceof Error ? error.message : String(error) };
  }
}
