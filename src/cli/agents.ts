import { openStore } from "../agent/store/open.js";
import type { Context } from "./context.js";
import type { GlobalOptions } from "./options.js";
import { findStore } from "./store.js";

/** The agents of a store that can be shared, a line each; none where it has one agent, or cannot be asked. */
export async function agentLines(flags: GlobalOptions, context: Context): Promise<readonly string[]> {
  const location = await findStore(flags, context);
  if (location.kind !== "postgres") return [];
  const store = await openStore(location, { readOnly: true });
  try {
    const members = (await store.shared?.members.all()) ?? [];
    return members.map(({ hostname, pid, version, started, silent }) => {
      const since = new Date(started).toISOString().slice(0, 19);
      return `${hostname}  process ${pid}, version ${version}, since ${since}Z, heard of ${Math.round(silent / 1000)} s ago`;
    });
  } finally {
    await store.close();
  }
}
