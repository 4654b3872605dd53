import { afterEach, describe, expect, it } from "vitest";
import { AgentWorld } from "./world.js";

let world: AgentWorld;
afterEach(() => world.close());

async function begin(): Promise<void> {
  world = await AgentWorld.start({ targets: ["edge", "core"], agent: "healLimit: 2" });
  await world.run();
  for (const name of world.names) await world.event("applied", ({ target }) => target === name);
  await world.settle();
}

/** A commit for both that `edge` cannot take. */
async function pushInVain(): Promise<string> {
  world.lab.fault({ match: { device: "edge" }, effect: { kind: "html", status: 502 }, count: 1000 });
  for (const name of world.names) world.want(name, { a: "10.0.0.2" });
  const commit = world.push("second");
  world.open?.agent.fetchSoon("webhook");
  await world.event("pass-ended", (event) => event.target === "edge" && event.commit === commit && event.result === "failed");
  await world.event("applied", (event) => event.target === "core" && event.commit === commit);
  world.lab.clearFaults();
  return commit;
}

describe("a restarted agent", () => {
  it("applies a commit that was not applied, and does not call it drift", async () => {
    await begin();
    const commit = await pushInVain();
    await world.end();
    const from = world.events.length;
    await world.run();
    const applied = await world.event("applied", ({ target }) => target === "edge", from);
    await world.event("rollout-ended", () => true, from);
    expect(applied).toMatchObject({ commit, heals: 0 });
    expect(world.addressesOf("edge").a).toBe("10.0.0.2");
    expect(world.events.slice(from).filter(({ type }) => type === "drift-appeared")).toEqual([]);
  });

  it("checks for drift if the commit was applied to every target", async () => {
    await begin();
    await world.end();
    world.meddle("a", "10.9.9.9");
    const from = world.events.length;
    await world.run();
    expect(await world.event("drift-appeared", () => true, from)).toMatchObject({ target: "edge" });
    expect(await world.event("applied", () => true, from)).toMatchObject({ target: "edge", heals: 1 });
  });

  it("counts the heals of the last hour, but none from before git changed", async () => {
    await begin();
    const healed = async (): Promise<void> => {
      world.meddle("a", "10.9.9.9");
      await world.after(20 * 60_000, "drift-resolved");
    };
    await healed();
    await healed();
    await world.settle();
    await world.end();
    world.meddle("a", "10.9.9.9");
    await world.run();
    await world.event("heal-guard-tripped");
    await world.settle();

    world.clock.advance(60_000);
    world.want("edge", { a: "10.0.0.2" });
    const commit = world.push("second");
    world.open?.agent.fetchSoon("webhook");
    await world.event("applied", (event) => event.commit === commit);
    await world.settle();
    await world.end();
    world.meddle("a", "10.9.9.9");
    const from = world.events.length;
    await world.run();
    expect(await world.event("applied", () => true, from)).toMatchObject({ target: "edge", heals: 1 });
  });
});
