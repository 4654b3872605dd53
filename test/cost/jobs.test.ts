import { describe, expect, it } from "vitest";
import { ManualClock } from "../../src/lab/panos/clock.js";
import { afterTest } from "../after-test.js";
import { LabWorld } from "../engine/apply/lab-world.js";
import { addresses, BARE } from "../engine/apply/scenes.js";
import { freshConnections } from "./connections.js";
import { Recorder } from "./recorder.js";
import { sumOf } from "./tables.js";

/** A device whose jobs take so long, behind a line that adds so much, one change after another by a process each, on one clock. */
async function changing(duration: number, delay: number) {
  const clock = new ManualClock();
  const world = await LabWorld.start(BARE, { jobDuration: duration }, clock);
  afterTest(() => world.close());
  // Of concurrent requests, the one that the next step waits for.
  for (const match of [{ type: "commit" }, { cmd: "<validate>" }, { cmd: "<show><jobs>" }])
    world.lab.fault({ match, effect: { kind: "delay", milliseconds: delay }, count: Number.MAX_SAFE_INTEGER });
  let at = 0;
  return async () => {
    world.want(addresses({ a: `10.0.0.${++at}` }));
    const recorder = new Recorder();
    const connections = freshConnections(recorder, { now: () => clock.now(), sleep: (milliseconds) => clock.wait(milliseconds) });
    const began = clock.now();
    const { error, applied } = await world.reconcile({ connections });
    expect([error, applied?.proven]).toEqual([undefined, true]);
    const sent = recorder.take();
    const looks = sent.filter(({ words }) => words === "show jobs id").length;
    return { took: clock.now() - began, requests: sent.length, steps: Math.max(...sent.map(({ step }) => step)), looks };
  };
}

/** Milliseconds until the poll that finds a job ended, and the number of polls, by the delays of docs/contributing/requests.md#polling-of-a-job. */
function polled(duration: number): { readonly after: number; readonly polls: number } {
  const delays = [200, 500, 1_000, 2_000, 2_500, 3_125, 3_907, 4_883, 6_104, 7_630, 9_537];
  let after = 0;
  let polls = 0;
  while (after < duration || polls === 0) after += delays[polls++] ?? 10_000;
  return { after, polls };
}

describe("a change to a known device", () => {
  it.each([
    [50, 5],
    [50, 300],
    [10_000, 300],
    [60_000, 5],
    [60_000, 300],
  ])(
    "whose jobs take %d ms, %d ms away, exceeds neither the documented requests nor the polls of its two jobs",
    async (duration, delay) => {
      const change = await changing(duration, delay);
      await change();
      const { looks, took, requests, steps } = await change();
      const { after, polls } = polled(duration);
      const limit = sumOf("An apply of a small change") ?? { requests: 0, steps: 0 };
      expect(looks).toBeLessThanOrEqual(2 * polls);
      expect(requests - looks).toBeLessThanOrEqual(limit.requests - 2);
      expect(steps - looks).toBeLessThanOrEqual(limit.steps - 2);
      expect(took).toBeLessThanOrEqual(2 * after + (3 + looks) * delay);
    },
  );
});
