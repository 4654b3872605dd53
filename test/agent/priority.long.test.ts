import { expect, it, vi } from "vitest";
import { PRIORITY } from "../../src/agent/priority.js";
import { Schedule } from "../../src/agent/schedule.js";
import { afterTest } from "../after-test.js";
import { AgentWorld } from "./world.js";

const MINUTE = 60_000;

/** Returns the planned visits: target, trigger and priority. */
function watchPlans(): () => readonly (readonly [string, string, number | undefined])[] {
  const plan = vi.spyOn(Schedule.prototype, "plan");
  afterTest(() => plan.mockRestore());
  return () => plan.mock.calls.map(([target, , trigger, options]) => [target, trigger, options?.priority]);
}

it("a failed commit is planned as a retry, and after a restart as a takeover, before checks of the other targets", async () => {
  const planned = watchPlans();
  const world = await AgentWorld.startForTest({ targets: ["edge", "core"] });
  await world.run();
  for (const name of world.names) await world.event("applied", ({ target }) => target === name, 0);
  await world.settle();
  const newest = (target: string) => planned().findLast(([name]) => name === target);
  expect(newest("edge")).toEqual(["edge", "timer", PRIORITY.timer]);
  world.lab.fault({ match: { type: "commit", device: "edge" }, effect: { kind: "job-fails", lines: ["no"] }, count: 100 });
  world.want("edge", { a: "10.0.0.2" });
  world.push("fails");
  await world.after(4 * MINUTE, "apply-failed");
  await world.settle();
  expect(newest("edge")).toEqual(["edge", "timer", PRIORITY.retry]);
  expect(newest("core")).toEqual(["core", "timer", PRIORITY.timer]);
  await world.end();
  const before = planned().length;
  await world.openAgent();
  const ended = new AbortController();
  const running = world.open?.agent.run(ended.signal);
  const started = () =>
    planned()
      .slice(before)
      .filter(([, trigger]) => trigger === "start");
  await expect.poll(started).toEqual([
    ["edge", "start", PRIORITY.takeover],
    ["core", "start", PRIORITY.timer],
  ]);
  ended.abort();
  await running;
});
