import { PlumblineError } from "../core/errors.js";
import type { KeptTrafficOf } from "../reachability/traffic/kept-traffic.js";
import type { ReplayRequest } from "../reachability/traffic/traffic.js";
import type { Context } from "./context.js";
import { parseSince } from "./logs/since.js";
import type { GlobalOptions } from "./options.js";

export interface ReplayFlags extends GlobalOptions {
  readonly replay?: string;
  readonly replayRecords: number;
  readonly replayFrom?: "device" | "store";
}

/** Returns the sessions to replay. Undefined without `--replay`. */
export function replayRequest(flags: ReplayFlags, context: Context): ReplayRequest | undefined {
  if (flags.replay === undefined) return undefined;
  const { replayRecords: most, replayFrom: from } = flags;
  return { since: parseSince(flags.replay, "--replay"), most, from, kept: keptTraffic(flags, context) };
}

/** Returns the traffic that agents have stored in the store of `store:`. Undefined if no store exists. */
function keptTraffic(flags: GlobalOptions, context: Context): KeptTrafficOf {
  return async (target) => {
    const [{ findStore }, { openStore }] = await Promise.all([import("./store.js"), import("../agent/store/open.js")]);
    try {
      const store = await openStore(await findStore(flags, context), { readOnly: true });
      try {
        return await store.traffic.of(target);
      } finally {
        await store.close();
      }
    } catch (error) {
      if (error instanceof PlumblineError && error.code === "store-missing") return undefined;
      throw error;
    }
  };
}
