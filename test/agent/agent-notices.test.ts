import { renameSync } from "node:fs";
import { afterEach, describe, expect, it } from "vitest";
import { AgentNotices } from "../../src/agent/agent-notices.js";
import type { Store } from "../../src/agent/store/store.js";
import { gitIn } from "../../src/engine/checkout/git.js";
import { GitStore } from "../../src/engine/ledger/git-store.js";
import { NoticeBoard } from "../../src/engine/notices.js";
import { AgentWorld } from "./world.js";

const MINUTE = 60_000;
let world: AgentWorld;
afterEach(async () => await world.close());

/** An agent that has applied the first commit and looks at the repository once in a day. */
async function applied(): Promise<AgentWorld> {
  world = await AgentWorld.start({ agent: "source: { interval: 24h }" });
  await world.run();
  await world.event("applied");
  await world.settle();
  return world;
}

const board = () => new NoticeBoard(new GitStore(gitIn(world.work), "origin"), "others");

describe("an agent before a heal", () => {
  it("reads the pauses of other machines itself, without waiting for a fetch", async () => {
    await applied();
    await board().pause({ target: "edge", reason: "fire", by: "ann", since: 0, until: undefined });
    world.meddle("a", "10.9.9.9");
    await world.after(20 * MINUTE, "held", ({ reason }) => reason === "paused");
    await world.settle();
    expect(world.addressesOf().a).toBe("10.9.9.9");
    const from = world.events.length;
    await world.open?.controls.resume("edge", "ann");
    await world.settle();
    world.clock.advance(20 * MINUTE);
    await world.event("drift-resolved", ({ how }) => how === "healed", from);
  });

  it("is on hold if notices cannot be read, and heals once they can", async () => {
    await applied();
    renameSync(world.remote, `${world.remote}.away`);
    world.meddle("a", "10.9.9.9");
    const held = await world.after(20 * MINUTE, "held");
    expect(held).toMatchObject({ reason: "notices", message: expect.stringContaining("cannot be read") });
    await world.settle();
    expect(world.addressesOf().a).toBe("10.9.9.9");
    renameSync(`${world.remote}.away`, world.remote);
    await world.after(2 * MINUTE, "drift-resolved", ({ how }) => how === "healed");
  });

  it("stops before its commit if a pause starts while it writes", async () => {
    await applied();
    world.meddle("a", "10.9.9.9");
    world.beforeCommit = () => board().pause({ target: "edge", reason: "fire", by: "ann", since: 0, until: undefined });
    await world.after(20 * MINUTE, "held", ({ reason }) => reason === "paused");
    await world.settle();
    expect(world.addressesOf().a).toBe("10.9.9.9");
    expect(world.seen("apply-failed") + world.seen("plan-refused")).toBe(0);
  });
});

it("a pause for an hour from a machine whose clock is two hours behind holds for an hour", async () => {
  await applied();
  const now = world.clock.now();
  await board().pause({ target: "edge", reason: "fire", by: "ann", since: now - 120 * MINUTE, until: now - 60 * MINUTE });
  world.meddle("a", "10.9.9.9");
  await world.after(20 * MINUTE, "held", ({ reason }) => reason === "paused");
  await world.settle();
  world.clock.advance(20 * MINUTE);
  await world.settle();
  expect(world.addressesOf().a).toBe("10.9.9.9");
  await world.after(60 * MINUTE, "drift-resolved", ({ how }) => how === "healed");
});

it("a pause that ended before the agent started stays ended", async () => {
  world = await AgentWorld.start();
  const now = world.clock.now();
  await board().pause({ target: "edge", reason: "fire", by: "ann", since: now - 120 * MINUTE, until: now - 60 * MINUTE });
  await world.run();
  await world.event("applied");
  expect(world.seen("held")).toBe(0);
});

it("does not report a stored pause as this agent's own before the shared notices were read", async () => {
  await applied();
  const pause = { target: "edge", reason: "work", by: "ann", since: world.clock.now(), until: undefined };
  await board().pause(pause);
  const store = { pauses: { active: async () => [pause], pause: async () => {} } } as unknown as Store;
  const signed = { approver: async () => undefined, resumer: async () => undefined };
  const shared = new NoticeBoard(new GitStore(gitIn(world.work), "origin"), "others");
  const notices = new AgentNotices({ store, board: () => shared, signed, stateFolder: world.work, now: () => world.clock.now() });
  expect(await notices.pauses(world.clock.now())).toEqual([pause]);
  await shared.resume("edge");
  await notices.refresh();
  expect(await notices.pauses(world.clock.now())).toEqual([{ ...pause, onlyHere: true }]);
});
