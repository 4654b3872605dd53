import { describe, expect, it } from "vitest";
import { AgentWorld, type AgentWorldOptions, addresses } from "./world.js";

const MINUTE = 60_000;

/** `edge` takes the address `a` of `core`, which comes after it in plumbline.yaml and in the alphabet. */
async function pair(options: AgentWorldOptions = {}): Promise<AgentWorld> {
  const world = await AgentWorld.startForTest({ targets: ["core", "edge"].reverse(), ...options });
  world.want("edge", edgeLike({}));
  world.push("edge takes what core says");
  return world;
}

const VSYS = "/devices/entry[@name='localhost.localdomain']/vsys/entry[@name='vsys1']";

function edgeLike(more: Readonly<Record<string, string>>): Record<string, string> {
  return { taken: `"\${core:${VSYS.slice(1)}/address/entry[@name='a']/ip-netmask}"`, ...more };
}

describe("a target that uses values of another", () => {
  it("gets a commit after that one", async () => {
    const world = await pair();
    await world.run();
    await world.event("applied", ({ target }) => target === "edge");
    world.want("core", { a: "10.0.0.7" });
    world.push("core moves");
    await world.after(4 * MINUTE, "applied", ({ target }) => target === "edge");
    const order = world.events.filter(({ type }) => type === "applied").map((event) => (event as { target: string }).target);
    expect(order.slice(-2)).toEqual(["core", "edge"]);
    expect(world.addressesOf("edge").taken).toBe("10.0.0.7");
  });

  it("continues if that one fails, but deletes nothing before it succeeds", async () => {
    const world = await pair();
    world.want("edge", edgeLike({ old: "10.0.0.8" }));
    world.push("old");
    await world.run();
    await world.event("applied", ({ target }) => target === "edge");
    await world.settle();
    const since = world.clock.now();
    await world.store?.pauses.pause({ target: "core", reason: "maintenance", by: "ann", since, until: since + 60 * MINUTE });
    world.want("core", { a: "10.0.0.7" });
    world.want("edge", edgeLike({ new: "10.0.0.9" }));
    world.push("core moves, edge loses old");
    const refused = await world.after(4 * MINUTE, "plan-refused");
    expect(refused).toMatchObject({ target: "edge", refusals: [{ guard: "follows" }] });
    expect(refused.refusals[0]?.message).toContain("core");
    expect(world.addressesOf("edge").old).toBe("10.0.0.8");
    await world.store?.pauses.resume("core", "ann", since);
    await world.after(MINUTE, "applied", ({ target }) => target === "core");
    await world.event("applied", ({ target }) => target === "edge");
    expect(world.addressesOf("edge")).toEqual({ theirs: "192.0.2.9", taken: "10.0.0.7", new: "10.0.0.9" });
  });
});

describe("a target whose last document is deleted", () => {
  it("loses its managed objects, and nothing else", async () => {
    const world = await AgentWorld.startForTest({ targets: ["core", "edge"] });
    world.write("core/edge.yaml", addresses("edge", { b: "10.0.0.2" }));
    world.push("a document of edge beside those of core");
    await world.run();
    await world.event("applied", ({ target }) => target === "edge");
    expect(world.addressesOf("edge")).toEqual({ theirs: "192.0.2.9", a: "10.0.0.1", b: "10.0.0.2" });
    world.git("rm", "--quiet", "core/edge.yaml");
    world.write("edge/objects.yaml", addresses("core", { c: "10.0.0.3" }));
    world.push("edge is to be empty");
    await world.after(4 * MINUTE, "applied", ({ target }) => target === "edge");
    await world.event("applied", ({ target }) => target === "core");
    expect(world.addressesOf("edge")).toEqual({ theirs: "192.0.2.9" });
    expect(world.addressesOf("core")).toEqual({ theirs: "192.0.2.9", a: "10.0.0.1", c: "10.0.0.3" });
  });
});
