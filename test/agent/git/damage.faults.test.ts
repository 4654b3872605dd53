import { readdirSync, renameSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { afterEach, describe, expect, it } from "vitest";
import { AgentWorld } from "../world.js";
import { DAMAGES } from "./damage.js";

const MINUTE = 60_000;
const ROUNDS = process.env.PLUMBLINE_SOAK === undefined ? 1 : 20;
const LONG = ROUNDS * 120_000;
let world: AgentWorld;
afterEach(async () => await world.close());

function clone(): string {
  const folder = join(world.stateFolder, "agent", "source");
  return join(folder, readdirSync(folder)[0] ?? "");
}

/** Lets time pass until drift that was found since event `before` is healed. */
async function healed(before: number): Promise<void> {
  const isHealed = () => world.events.slice(before).some((event) => event.type === "drift-resolved" && event.how === "healed");
  for (let minute = 0; minute < 10 && !isHealed(); minute++) {
    await world.settle();
    if (!isHealed()) world.clock.advance(MINUTE);
  }
  expect(isHealed(), "healed within 10 minutes").toBe(true);
  expect(world.addressesOf().a).toBe("10.0.0.1");
}

/** Pushes something else, and waits until the firewall has it. */
async function pushed(value: string): Promise<void> {
  // A running fetch may also detect it.
  const before = world.events.length;
  world.want("edge", { a: value });
  const commit = world.push(`a is ${value}`);
  await world.settle();
  world.clock.advance(4 * MINUTE);
  await world.event("applied", (event) => event.commit === commit, before);
  expect(world.addressesOf().a).toBe(value);
}

/** Each damage, at moments of its own. */
const rounds = Array.from({ length: ROUNDS }, () => Object.entries(DAMAGES)).flat();
const moments = fc.sample(fc.double({ min: 0, max: 0.999, noNaN: true }), rounds.length);

describe("damage of the agent's clone", () => {
  it(
    "while it runs, commits are applied and drift is detected",
    async () => {
      world = await AgentWorld.start({ agent: "healLimit: 1000" });
      await world.run();
      await world.event("applied");
      for (const [round, [what, damage]] of rounds.entries()) {
        await world.settle();
        damage(clone(), moments[round] ?? 0);
        world.meddle("a", "10.9.9.9");
        world.clock.advance(20 * MINUTE);
        await pushed(`10.0.1.${round % 200}`).catch((error: unknown) => {
          throw new Error(`with ${what} at ${moments[round]}`, { cause: error });
        });
      }
    },
    LONG,
  );

  it(
    "while it is stopped, the active commit stays or is restored, even if a later push is damaged",
    async () => {
      world = await AgentWorld.start({ agent: "healLimit: 1000" });
      await world.run();
      const good = (await world.event("commit-in-force")).commit;
      await world.event("applied");
      world.write("edge/objects.yaml", "target: edge\nscope: vsys1\nconfig:\n  address: [\n");
      world.push("broken");
      await world.after(4 * MINUTE, "commit-broken");
      for (const [round, [what, damage]] of rounds.entries()) {
        await world.end();
        damage(clone(), moments[round] ?? 0);
        world.meddle("a", "10.9.9.9");
        const before = world.events.length;
        await world.run();
        expect((await world.event("commit-in-force", undefined, before)).commit).toBe(good);
        await healed(before).catch((error: unknown) => {
          throw new Error(`with ${what} at ${moments[round]}`, { cause: error });
        });
      }
    },
    LONG,
  );
});

describe("a damaged clone and a damaged remote", () => {
  it("keep the active commit until the remote is repaired", async () => {
    world = await AgentWorld.start({ agent: "healLimit: 1000" });
    await world.run();
    await world.event("applied");
    await world.settle();
    DAMAGES["an empty ref of the tip"]?.(clone(), 0);
    renameSync(world.remote, `${world.remote}-away`);
    await world.after(4 * MINUTE, "source-failed");
    // A running visit may also detect it.
    const before = world.events.length;
    world.meddle("a", "10.9.9.9");
    await world.settle();
    world.clock.advance(20 * MINUTE);
    // The missing remote may hold a pause, so nothing is written until it can be read.
    await world.event("drift-appeared", undefined, before);
    await world.event("held", ({ reason }) => reason === "notices", before);
    await world.settle();
    expect(world.addressesOf().a).toBe("10.9.9.9");
    const back = world.events.length;
    renameSync(`${world.remote}-away`, world.remote);
    world.clock.advance(20 * MINUTE);
    await world.event("source-recovered", undefined, back);
    // A concurrent visit may have run while the clone was missing.
    await world.settle();
    world.clock.advance(20 * MINUTE);
    await world.event("drift-resolved", ({ how }) => how === "healed", back);
    await pushed("10.0.0.2");
  });
});
