import type { ProbeNetwork } from "../../../src/engine/watch/probe-network.js";

/** A network in which probes succeed as long as something holds. */
export function reachableWhile(isWell: () => boolean): ProbeNetwork {
  return {
    tcp: async () => {
      if (!isWell()) throw new Error("connection refused");
    },
    http: async () => (isWell() ? 200 : 503),
    dns: async () => [],
  };
}
