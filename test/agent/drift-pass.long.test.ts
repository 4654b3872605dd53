import { expect, it } from "vitest";
import { setConnected } from "../../src/lab/panos/manager/push.js";
import { MANAGER, managed, pushOf, SERIALS } from "../lab/panos/manager/managed-lab.js";
import { AgentWorld } from "./world.js";

const MINUTE = 60_000;

async function watching(target: string): Promise<AgentWorld> {
  const more = managed()
    .slice(1)
    .map((each) => ({ ...each, manager: "edge", jobDuration: 0 }));
  const world = await AgentWorld.startForTest({ target, device: { config: MANAGER }, more });
  world.write("edge/objects.yaml", "target: edge\nscope: device-group/offices\nconfig: { tag: { ours: { comments: ours } } }\n");
  world.push("a tag");
  return world;
}

/** A commit is pushed. Every later request runs after its deadline. */
function push(world: AgentWorld): void {
  const reply = world.device().act("alice", { type: "commit", action: "all", cmd: pushOf({ branch: [] }) });
  expect(reply.status).toBe("success");
}

const last = (world: AgentWorld) => world.events.filter((event) => event.type === "pass-ended").at(-1);

it("does not call a manager in sync while a watched firewall is not, and notices both changes", async () => {
  const world = await watching("firewalls: watch");
  await world.run();
  await world.event("applied");
  const looked = await world.after(20 * MINUTE, "pass-ended", ({ pass }) => pass !== undefined);
  expect(looked).toMatchObject({ result: "pending", outcome: { firewalls: { watched: true } } });
  expect(looked.outcome?.error).toBeUndefined();
  await world.settle();
  expect(world.device().state.commits).toHaveLength(1);
  push(world);
  expect(await world.after(20 * MINUTE, "pass-ended")).toMatchObject({ result: "in-sync" });
  expect(await world.after(20 * MINUTE, "pass-ended")).toMatchObject({ result: "skipped" });
  // Outside the declared configuration, so the part that the agent reads does not change.
  world.act("edge", { type: "config", action: "set", xpath: "/config/shared/tag", element: "<entry name='theirs'/>" });
  expect(await world.after(20 * MINUTE, "pass-ended")).toMatchObject({ result: "pending" });
});

it("reports it for one pass, and again without a commit", async () => {
  const world = await watching("firewalls: watch");
  expect([...(await world.once())]).toEqual([["edge", "applied"]]);
  expect([...(await world.once())]).toEqual([["edge", "pending"]]);
  expect(last(world)).toMatchObject({ result: "pending" });
  expect(world.device().state.commits).toHaveLength(1);
});

it("uses only the manager's state if firewalls are not watched", async () => {
  const world = await watching("firewalls: tell");
  await world.once();
  expect([...(await world.once())]).toEqual([["edge", "in-sync"]]);
  expect(last(world)).toMatchObject({ outcome: { firewalls: { watched: false } } });
});

it("is remembered after a restart", async () => {
  const world = await watching("firewalls: watch");
  await world.once();
  await world.once();
  await world.openAgent();
  const [entry] = (await world.store?.passes.latest()) ?? [];
  expect(entry).toMatchObject({ outcome: "pending", detail: { behind: "2 of 2 firewalls not in sync" } });
  await world.end();
});

it("pushes to a firewall that reconnects, without other changes", async () => {
  const world = await watching("push: { timeout: 5 }");
  push(world);
  const away = world.device("b").state;
  setConnected(away, false);
  expect([...(await world.once())]).toEqual([["edge", "applied"]]);
  expect([...(await world.once())]).toEqual([["edge", "pending"]]);
  setConnected(away, true);
  expect([...(await world.once())]).toEqual([["edge", "in-sync"]]);
  const ours = world.device().state.pushes.filter(({ admin, validateOnly }) => admin === "netops" && !validateOnly);
  expect(ours.map(({ serials }) => serials)).toEqual([[SERIALS.a], [SERIALS.b]]);
  expect(world.device().state.commits).toHaveLength(1);
});

it.each(["firewalls: watch", "firewalls: tell"])(
  "reports with %s that a firewall stays disconnected, although nothing else changes",
  async (wish) => {
    const world = await watching(`${wish}, offline: 2h`);
    await world.run();
    await world.event("applied");
    push(world);
    await world.after(20 * MINUTE, "pass-ended", ({ result }) => result === "in-sync" || result === "skipped");
    setConnected(world.device("b").state, false);
    // Its state was recorded before the stop: all targets in sync.
    world.act("edge", {
      type: "config",
      action: "set",
      xpath: "/config/mgt-config/users/entry[@name='alice']",
      element: "<phash>x</phash>",
    });
    const looked = await world.after(
      20 * MINUTE,
      "pass-ended",
      ({ outcome }) => outcome?.firewalls?.rows.some(({ away }) => away !== undefined) === true,
    );
    expect(looked.outcome?.firewalls?.rows.find(({ away }) => away !== undefined)?.away?.tooLong).toBe(false);
    const alarm = await world.after(
      3 * 60 * MINUTE,
      "pass-ended",
      ({ outcome }) => outcome?.firewalls?.rows.some(({ away }) => away?.tooLong) === true,
    );
    expect(alarm.result).toBe(wish === "firewalls: watch" ? "pending" : "in-sync");
    expect((await world.store?.notifications.last("absences", "edge"))?.state).toContain(SERIALS.b);
    setConnected(world.device("b").state, true);
    expect(await world.after(20 * MINUTE, "pass-ended", ({ pass }) => pass !== undefined)).toMatchObject({ result: "in-sync" });
  },
);
