import { afterEach, expect, it } from "vitest";
import { AgentWorld } from "./world.js";

let world: AgentWorld;
afterEach(async () => await world.close());

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
