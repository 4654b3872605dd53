import pLimit from "p-limit";
import { type AtWork, runsAtWork, type WaitForRuns } from "../engine/runs-at-work.js";
import type { Contexts } from "./contexts.js";

const CONCURRENCY = 8;

/** Runs at work on these targets, by their locks, and targets of which nobody can tell. */
export async function runsOn(
  names: readonly string[],
  contexts: Contexts,
  how: Pick<WaitForRuns, "connect" | "machine">,
): Promise<readonly AtWork[]> {
  const limit = pLimit(CONCURRENCY);
  const found = await Promise.all(names.map((name) => limit(() => runsOnOne(name, contexts, how))));
  return found.filter(({ runs }) => runs === undefined || runs.length > 0);
}

async function runsOnOne(target: string, contexts: Contexts, how: Pick<WaitForRuns, "connect" | "machine">): Promise<AtWork> {
  try {
    return await runsAtWork((await contexts.of(target)).configuration, how);
  } catch (error) {
    return { target, runs: undefined, unknown: error instanceof Error ? error.message : String(error) };
  }
}
