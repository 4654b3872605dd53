import { afterEach, expect, it } from "vitest";
import { AgentWorld } from "./world.js";

let world: AgentWorld;
afterEach(async () => await world.close());

it("a commit that writes over what nobody had seen yet says so with the author; what was seen before is told as drift alone", async () => {
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

it("what a colleague commits right after our commit is their drift, told with their name and healed, not held until git moves", async () => {
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
