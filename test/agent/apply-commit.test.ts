import { afterEach, expect, it } from "vitest";
import type { Writers } from "../../src/engine/pass/options.js";
import type { Commits } from "../../src/engine/write-target.js";
import { systemClock } from "../../src/lab/panos/clock.js";
import { AgentWorld } from "./world.js";

let world: AgentWorld;
afterEach(async () => await world.close());

it("a commit that overwrites an unreported change reports it with the author, and a reported one stays drift", async () => {
  world = await AgentWorld.start();
  await world.run();
  await world.event("applied");
  await world.settle();
  world.meddle("a", "10.9.9.9");
  world.want("edge", { a: "10.0.0.2" });
  const commit = world.push("of the same place");
  world.open?.agent.fetchSoon("webhook");
  const over = await world.event("written-over");
  expect(over).toMatchObject({ target: "edge", commit });
  expect(over.drift.map(({ item }) => item.attribution?.admin)).toEqual(["alice"]);
  await world.event("applied", (event) => event.commit === commit);
  await world.settle();
  expect(world.addressesOf().a).toBe("10.0.0.2");
  const rows = await world.store?.history.find({ kinds: ["drift"], limit: 10 });
  expect(rows?.entries).toMatchObject([
    { author: "alice", outcome: "differs", summary: "written over by the commit", ended: world.clock.now() },
  ]);
  expect(await world.store?.drift.open("edge")).toEqual([]);
  world.meddle("a", "10.9.9.9");
  await world.after(20 * 60_000, "drift-resolved", ({ how }) => how === "healed");
  expect(world.seen("written-over")).toBe(1);
});

it("a change that an administrator commits directly after the agent's commit is their drift, and is healed", async () => {
  world = await AgentWorld.start();
  let meddled = false;
  world.afterCommit = async () => {
    if (!meddled) world.meddle("a", "10.9.9.9");
    meddled = true;
  };
  await world.run();
  const seen = await world.event("pass-ended", ({ outcome }) => outcome?.error?.code === "changed-since-commit");
  expect(seen.result).toBe("drifted");
  const drift = await world.after(2000, "drift-appeared");
  expect(drift.item.attribution?.admin).toBe("alice");
  await world.event("drift-resolved", ({ how }) => how === "healed");
  expect(world.addressesOf().a).toBe("10.0.0.1");
  expect(world.seen("apply-failed")).toBe(0);
});

it("an administrator who reverts every commit is healed no more often than the limit, and passes back off", async () => {
  let commits = 0;
  world = await AgentWorld.start({
    agent: "healLimit: 3\ndriftInterval: 5m",
    labClock: { ...systemClock, now: () => systemClock.now() + commits * 60_000 },
  });
  const undo = () => {
    commits += 1;
    world.meddle("a", "10.9.9.9");
  };
  world.wrap = (writers) => ({ ...writers, writer: undoneAfterCommit(writers, undo) });
  await world.run();
  await world.event("pass-ended", ({ outcome }) => outcome?.error?.code === "changed-since-commit");
  for (let second = 0; second < 180; second += 5) {
    await world.settle();
    world.clock.advance(5000);
  }
  await world.settle();
  expect(commits).toBeLessThanOrEqual(4);
  for (let minute = 0; minute < 60; minute += 5) {
    await world.settle();
    world.clock.advance(5 * 60_000);
  }
  await world.settle();
  expect(world.seen("heal-guard-tripped")).toBe(1);
  expect(commits).toBe(4);
  expect(world.addressesOf().a).toBe("10.9.9.9");
});

it("a commit that another runner at another commit reverts is applied no more often than the heal limit", async () => {
  world = await AgentWorld.start({ agent: "healLimit: 3\ndriftInterval: 5m" });
  const first = world.git("rev-parse", "HEAD");
  world.want("edge", { a: "10.0.0.2" });
  const second = world.push("second");
  await world.run();
  await world.event("applied", ({ commit }) => commit === second);
  await world.settle();
  world.git("checkout", "--quiet", first);
  for (let round = 0; round < 6; round++) {
    const outcome = await world.reconcileInWork({ allowNonDescendant: true });
    expect(outcome?.error).toBeUndefined();
    await world.settle();
    world.clock.advance(5 * 60_000);
    await world.settle();
  }
  expect(world.seen("applied")).toBe(1 + 3);
  expect(world.seen("heal-guard-tripped")).toBe(1);
  expect(world.addressesOf().a).toBe("10.0.0.1");
});

/** Creates connections to a device on which another administrator changes the value of each commit before it is read back. */
function undoneAfterCommit(writers: Writers, undo: () => void): Writers["writer"] {
  return async (configuration) => {
    const target = await writers.writer(configuration);
    const behind = target.writer.behind.bind(target.writer);
    target.writer.behind = (fence) => {
      const writer = behind(fence);
      const { commits } = writer;
      if (commits === undefined) return writer;
      const commit: Commits["commit"] = async (options, progress) => {
        const result = await commits.commit(options, progress);
        undo();
        return result;
      };
      return { ...writer, commits: Object.assign(Object.create(commits), { commit }) };
    };
    return target;
  };
}
