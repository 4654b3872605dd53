import type { Store } from "../../../src/agent/store/store.js";
import { COMMIT, NOW } from "./sample.js";
import type { PageWorldOptions } from "./world.js";

/** So many targets, one in a hundred with drift. */
export function manyTargets(count: number): Required<Pick<PageWorldOptions, "targets" | "fill">> {
  const names = Array.from({ length: count }, (_, i) => `fw-${String(i).padStart(5, "0")}`);
  return {
    targets: new Map(names.map((name) => [name, { kind: "panos", mode: "enforce" }])),
    fill: async (store: Store) => {
      for (const name of names.filter((_, i) => i % 100 === 7)) {
        const path = `/config/shared/address/entry[@name='${name}']`;
        const item = {
          path,
          change: "extra",
          author: "alice",
          authorTime: undefined,
          view: { kind: "extra", before: "<entry/>" },
        } as const;
        const start = { target: name, pass: "drift", trigger: "timer", started: NOW - 60_000, commit: COMMIT, runner: "many:1" } as const;
        const end = { ended: NOW - 59_000, outcome: "pending", exitCode: 2, reason: undefined, durations: {} } as const;
        await store.passes.record(start, { ...end, drift: { items: [item] } });
      }
    },
  };
}
