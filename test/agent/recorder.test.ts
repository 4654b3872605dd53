import { describe, expect, it } from "vitest";
import { type AgentEvent, EventStream } from "../../src/agent/events.js";
import { Recorder } from "../../src/agent/recorder.js";
import type { PassEnd, PassStart, Store } from "../../src/agent/store/store.js";
import { PlumblineError } from "../../src/core/errors.js";

const START: PassStart = { target: "edge", trigger: "git", pass: "reconcile", started: 1, commit: "c", runner: "r" };
const END: PassEnd = { ended: 2, outcome: "applied", exitCode: 0 } as PassEnd;

/** A store that can be full. Records the data that it accepted. */
function world() {
  const state = { fault: undefined as unknown, taken: [] as string[] };
  const take = (what: string) => async () => {
    if (state.fault !== undefined) throw state.fault;
    state.taken.push(what);
    return 7;
  };
  const passes = { start: take("start"), finish: take("finish"), record: take("record") };
  const told: string[] = [];
  const events = new EventStream(
    () => 0,
    () => undefined,
  );
  events.listen(({ type }: AgentEvent) => void told.push(type));
  return { state, take, told, recorder: new Recorder({ passes } as unknown as Store, events) };
}

const FULL = new PlumblineError("store-full", "There is no room left");

describe("the recorder", () => {
  it("writes deferred rows in order once the store has space, and reports it once", async () => {
    const { state, take, told, recorder } = world();
    const pass = await recorder.start(START);
    state.fault = FULL;
    await recorder.finish(pass, START, END);
    await recorder.keep(take("a commit"));
    await recorder.finish(await recorder.start(START), START, END);
    expect([recorder.works, told]).toEqual([false, ["store-failed"]]);
    state.fault = undefined;
    await recorder.start(START);
    expect(state.taken).toEqual(["start", "start", "finish", "a commit", "record"]);
    expect([recorder.works, told]).toEqual([true, ["store-failed", "store-recovered"]]);
    await recorder.keep(take("another"));
    expect(state.taken).toHaveLength(6);
  });

  it("does not let an invalid row block valid ones", async () => {
    const { state, take, recorder } = world();
    state.fault = FULL;
    await recorder.keep(async () => {
      throw new Error("never");
    });
    await recorder.keep(take("a commit"));
    state.fault = undefined;
    await recorder.start(START);
    await recorder.start(START);
    expect(state.taken).toContain("a commit");
  });
});
