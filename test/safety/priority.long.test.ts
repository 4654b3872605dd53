import { expect, it } from "vitest";
import type { AgentEvent } from "../../src/agent/events.js";
import { afterTest } from "../after-test.js";
import { SharedWorld } from "../agent/shared/world.js";
import { startPostgres } from "../agent/store/postgres.js";
import { AgentWorld } from "../agent/world.js";

const TARGETS = Array.from({ length: 8 }, (_, at) => `fw${String(at).padStart(2, "0")}`);
const SETTINGS = { targets: TARGETS, agent: "skipPasses: 0" };

function begun(events: readonly AgentEvent[]): readonly string[] {
  return events.flatMap((event) => (event.type === "pass-started" ? [event.target] : []));
}

/** Lets timer visits become due and holds the first. Returns a target whose timer visit is due and not running. */
async function withOneRunning(world: AgentWorld, events: readonly AgentEvent[], makeDue: () => Promise<void>): Promise<string> {
  const from = events.length;
  world.lab.fault({ match: { type: "config" }, count: 1_000, effect: { kind: "hold", when: "before" } });
  await makeDue();
  while (begun(events.slice(from)).length < 1) await new Promise((next) => setTimeout(next, 20));
  const [running] = begun(events.slice(from));
  return TARGETS.find((name) => name !== running) ?? "";
}

it("applies a push to one of many targets before any timer visit that is not running, on SQLite", async () => {
  const world = await AgentWorld.startForTest({ ...SETTINGS, agent: `${SETTINGS.agent}\nconcurrency: 1` });
  afterTest(async () => world.lab.release());
  await world.run();
  for (const name of TARGETS) await world.event("applied", ({ target }) => target === name, 0);
  await world.settle();
  const target = await withOneRunning(world, world.events, async () => world.clock.advance(20 * 60_000));
  const from = world.events.length;
  world.want(target, { a: "10.7.7.7" });
  const commit = world.push("one target");
  world.open?.agent.fetchSoon("webhook");
  await world.event("commit-in-force", (event) => event.commit === commit, from);
  world.lab.clearFaults();
  world.lab.release();
  await world.event("applied", (event) => event.target === target && event.commit === commit, from);
  expect(begun(world.events.slice(from))[0]).toBe(target);
}, 60_000);

it("applies a push to one of many targets before any timer visit that is not running, on PostgreSQL", async () => {
  const postgres = await startPostgres();
  const shared = await SharedWorld.start(postgres, SETTINGS);
  try {
    const { world } = shared;
    const agent = await shared.agent(1);
    await agent.event("commit-in-force");
    for (const name of TARGETS) {
      await shared.live(
        agent.event("applied", ({ target }) => target === name),
        [agent],
      );
    }
    while ((await shared.query("select from leases where holder <> ''")).length > 0);
    const target = await withOneRunning(world, agent.events, () => shared.passTime(60 * 60_000));
    const from = agent.events.length;
    world.want(target, { a: "10.7.7.7" });
    const commit = world.push("one target");
    agent.open.agent.fetchSoon("webhook");
    await agent.event("commit-in-force", (event) => event.commit === commit, from);
    while ((await shared.query("select from leases where pending is not null")).length === 0);
    world.lab.clearFaults();
    world.lab.release();
    await shared.live(
      agent.event("applied", (event) => event.target === target && event.commit === commit, from),
      [agent],
    );
    expect(begun(agent.events.slice(from))[0]).toBe(target);
  } finally {
    shared.world.lab.release();
    await shared.close();
    await postgres.stop();
  }
}, 120_000);
