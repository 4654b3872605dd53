import { setTimeout as wait } from "node:timers/promises";
import { afterEach, describe, expect, it } from "vitest";
import { generator, SEED } from "./random.js";
import { type AgentProcess, ScaleWorld } from "./world.js";

console.log(`seed of the faults: PLUMBLINE_FAULT_SEED=${SEED}`);
const random = generator(SEED);
const BOUND = 45_000;
const SKEW = 300_000;
/** Rounds of each fault. */
const ROUNDS = process.env.PLUMBLINE_SOAK === undefined ? 3 : 50;

let world: ScaleWorld | undefined;
afterEach(async () => {
  await world?.close();
  world = undefined;
});

/** Agents that have taken the first commit and brought all targets to it. */
async function begin(agents: number, targets = 6, offsets: readonly number[] = []): Promise<{ world: ScaleWorld; agents: AgentProcess[] }> {
  world = await ScaleWorld.start({ targets });
  const started: AgentProcess[] = [];
  for (let index = 0; index < agents; index++) started.push(world.startAgent({ offset: offsets[index] ?? 0 }));
  await Promise.all(started.map((agent) => agent.said((line) => line.startsWith("commit"))));
  await world.converged(BOUND);
  return { world, agents: started };
}

describe("several agents on one PostgreSQL", () => {
  it("share the work, and each commit is applied once", async () => {
    const { world, agents } = await begin(3, 8);
    for (let round = 1; round <= 2; round++) {
      world.want({ a: `10.0.1.${round}`, [`n${round}`]: "10.1.0.1" });
      await world.converged(BOUND);
    }
    world.check();
    const workers = agents.filter(({ lines }) => lines.some((line) => /^pass \S+ applied/.test(line)));
    expect(workers.length).toBeGreaterThan(1);
    const members = await world.query<{ id: string }>("select id from members");
    expect(members).toHaveLength(3);
  });

  it("continue when any of them is killed with SIGKILL at any time, with clocks five minutes apart", async () => {
    const { world, agents } = await begin(3, 6, [-SKEW, 0, SKEW]);
    for (let round = 1; round <= ROUNDS; round++) {
      world.want({ a: `10.0.2.${round}`, [`n${round}`]: "10.1.0.1" });
      await wait(random() * 2500);
      const [victim] = agents.splice(Math.floor(random() * agents.length), 1);
      if (victim !== undefined) await world.kill(victim);
      agents.push(world.startAgent({ offset: random() < 0.5 ? SKEW : -SKEW }));
      await world.converged(BOUND);
      world.check();
    }
  });

  it("write nothing after a suspension longer than the lease", async () => {
    const { world, agents } = await begin(2);
    for (let round = 1; round <= ROUNDS; round++) {
      world.want({ a: `10.0.3.${round}`, [`n${round}`]: "10.1.0.1" });
      const sleeper = agents[round % 2];
      await wait(300 + random() * 1500);
      sleeper?.child.kill("SIGSTOP");
      const took = await world.converged(BOUND);
      console.log(`round ${round}: served by the other after ${Math.round(took)} ms`);
      sleeper?.child.kill("SIGCONT");
      await sleeper?.said((line) => line.startsWith("pass"));
      await wait(500);
      await world.converged(BOUND);
      world.check();
    }
  });

  it("lose nothing when the database restarts under load, or is unreachable", async () => {
    const { world } = await begin(2);
    for (let round = 1; round <= ROUNDS; round++) {
      world.want({ a: `10.0.4.${round}`, [`n${round}`]: "10.1.0.1" });
      await wait(random() * 1500);
      if (round % 2 === 1) await world.postgres.restart();
      else await world.postgres.away(2 * world.lease);
      await world.converged(BOUND);
      world.check();
    }
  });
});
