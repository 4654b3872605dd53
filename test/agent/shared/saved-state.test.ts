import { expect, it } from "vitest";
import { readSaved, writeSaved } from "../../../src/agent/shared/saved-state.js";
import { newState, type TargetState } from "../../../src/agent/visit-parts.js";

/** Fields that belong to one visit or one process, or come from the lease. */
const NOT_SAVED = ["commitPending", "planWanted", "reportedAssertions", "undecided", "known"];

it("keeps every other field of a target's state for the next visit, also of another agent", () => {
  const state: TargetState = {
    ...newState(),
    tried: "c1",
    held: "ledger",
    reportedRefusals: "r",
    reportedIgnores: "i",
    unreachable: 2,
    unreachableSince: 3,
    unreadLedgers: 4,
    appliedCommit: "c2",
    postponements: 5,
    undone: 6,
  };
  const same = Object.keys(state).filter((key) => state[key as keyof TargetState] === newState()[key as keyof TargetState]);
  expect(same.sort()).toEqual([...NOT_SAVED].sort());
  expect(readSaved(writeSaved(state, { by: "a" }))).toEqual({ state, by: "a" });
});
