import { PlumblineError } from "../core/errors.js";
import type { KeptTrafficOf } from "../engine/insight/kept-traffic.js";
import type { Context } from "./context.js";
import type { GlobalOptions } from "./options.js";

/** Returns the traffic that agents have stored in the store of `store:`. Undefined if no store exists. */
export function keptTraffic(flags: GlobalOptions, context: Context): KeptTrafficOf {
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
