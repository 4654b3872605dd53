import { describe, expect, it } from "vitest";
import { ManualClock } from "../../src/lab/panos/clock.js";
import { afterTest } from "../after-test.js";
import { LabWorld } from "../engine/apply/lab-world.js";
import { addresses, BARE } from "../engine/apply/scenes.js";
import { freshConnections } from "./connections.js";
import { Recorder } from "./recorder.js";
import { sumOf } from "./tables.js";

/** Changes after which a device counts as known. */
const KNOWN = 12;
/** Factor by which a change may take longer than its round trips and the device's own jobs. */
const TARGET = 1.2;

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

describe("a change to a known device", () => {
  it.each([5, 50, 300])(
    "whose jobs take 50 ms, %d ms away, sends the documented requests and waits little longer than the jobs",
    async (delay) => {
      const change = await changing(50, delay);
      const before = [];
      for (let at = 0; at < KNOWN; at++) before.push(await change());
      const { looks, took, ...asked } = await change();
      expect(asked).toEqual(sumOf("An apply of a small change"));
      expect(looks).toBe(2);
      expect(took).toBeLessThanOrEqual(TARGET * (4 * delay + 2 * 50));
      const more = before.reduce((sum, each) => sum + each.looks - 2, 0);
      expect(more).toBeLessThanOrEqual(4);
    },
  );

  it.each([
    [10_000, 5, 2],
    [10_000, 300, 2],
    [60_000, 5, 12],
    [60_000, 300, 14],
  ])("whose jobs take %d ms, %d ms away, is looked at no more often than every ten seconds", async (duration, delay, most) => {
    const change = await changing(duration, delay);
    await change();
    const { looks, took } = await change();
    expect(looks).toBeLessThanOrEqual(most);
    expect(took).toBeLessThanOrEqual(TARGET * (4 * delay + 2 * duration));
  });
});
