import { expect, it } from "vitest";
import { type Observer, observing } from "../../src/core/observe.js";
import { AgentWorld } from "./world.js";

const MINUTE = 60_000;

/** Counts the requests to targets. */
function counter() {
  const counts = { requests: 0 };
  const observer: Observer = {
    begin: ({ type }) => {
      if (type === "request") counts.requests += 1;
      return { inside: observer, end: () => undefined };
    },
    repeat: () => undefined,
  };
  return { counts, observer };
}

it("sends one request to a target that did not answer, backs off, shows it, and tries completely for a person and a commit", async () => {
  const world = await AgentWorld.startForTest({ agent: "driftInterval: 20m" });
  const { counts, observer } = counter();
  await observing(observer, () => world.run());
  await world.event("applied");
  await world.settle();
  world.lab.fault({ match: { device: "edge" }, effect: { kind: "drop" }, count: 10_000 });
  const requests = () => {
    const made = counts.requests;
    counts.requests = 0;
    return made;
  };
  requests();
  const first = await world.after(23 * MINUTE, "pass-ended", ({ result }) => result === "failed");
  expect(requests()).toBeGreaterThanOrEqual(4);
  const began = first.time;
  await world.settle();
  // Other requests of the visit are still repeated: wait until none was made for a while.
  do await new Promise((done) => setTimeout(done, 200));
  while (requests() > 0);
  const waits: number[] = [];
  for (let tries = 2; tries <= 5; tries++) {
    const state = (await world.open?.agent.unanswered())?.get("edge");
    expect(state).toMatchObject({ visits: tries - 1, since: began });
    waits.push(Math.round(((state?.next ?? 0) - world.clock.now()) / MINUTE));
    const { outcome } = await world.after((state?.next ?? 0) - world.clock.now(), "pass-ended");
    expect([requests(), outcome?.error?.code]).toEqual([1, "connection-lost"]);
    expect(outcome?.error?.message).toContain(`No answer since ${new Date(began).toISOString().slice(0, 19).replace("T", " ")} UTC`);
    expect(outcome?.error?.message).toContain(`(${tries} tries), next try by `);
    await world.settle();
  }
  expect(waits).toEqual([1, 2, 4, 8]);
  const [latest] = (await world.store?.passes.latest()) ?? [];
  expect(latest?.detail.reason).toContain("(5 tries), next try by ");

  const from = world.events.length;
  await world.open?.controls.visit("edge", "reconcile");
  await world.event("pass-ended", undefined, from);
  expect(requests()).toBeGreaterThanOrEqual(4);
  await world.settle();
  world.want("edge", { a: "10.0.0.2" });
  world.push("next");
  const commit = await world.after(6 * MINUTE, "pass-ended", ({ trigger }) => trigger === "git");
  expect(commit.outcome?.error?.message).not.toContain("No answer since");

  world.lab.clearFaults();
  await world.settle();
  await world.after(30 * MINUTE, "applied");
  await world.settle();
  expect((await world.open?.agent.unanswered())?.size).toBe(0);
  expect(world.addressesOf()).toMatchObject({ a: "10.0.0.2" });
});

it("gives a device that accepts the request and is silent five seconds", async () => {
  const world = await AgentWorld.startForTest();
  await world.run();
  await world.event("applied");
  await world.settle();
  world.lab.fault({ match: { device: "edge" }, effect: { kind: "drop" }, count: 10_000 });
  await world.after(16 * MINUTE, "pass-ended", ({ result }) => result === "failed");
  await world.settle();
  world.lab.clearFaults();
  world.lab.fault({ match: { device: "edge" }, effect: { kind: "hold", when: "before" }, count: 10_000 });
  const from = world.events.length;
  world.clock.advance(2 * MINUTE);
  await new Promise((done) => setTimeout(done, 300));
  expect(world.events.slice(from)).toEqual([]);
  world.clock.advance(5_000);
  const { outcome } = await world.event("pass-ended", undefined, from);
  expect(outcome?.error?.code).toBe("request-timed-out");
  world.lab.clearFaults();
  world.lab.release();
});
