import { expect, it } from "vitest";
import { visitTarget } from "../../src/agent/visit.js";
import { newState, type VisitParts } from "../../src/agent/visit-parts.js";

it("a visit that finds a commit which is not used backs off to a minute", async () => {
  const state = { ...newState(), commitPending: true };
  const parts = {
    source: { inForce: undefined },
    clock: { now: () => 0 },
    contexts: { of: async () => ({ name: "edge", checkout: { commit: "new" } }) },
    atOnce: async () => 1,
    taken: () => "old",
  } as unknown as VisitParts;
  const waits: (number | undefined)[] = [];
  for (let visit = 0; visit < 10; visit++) waits.push((await visitTarget("edge", "timer", state, parts)).retryIn);
  expect(waits).toEqual([1, 2, 4, 8, 16, 32, 60, 60, 60, 60].map((seconds) => seconds * 1000));
});
