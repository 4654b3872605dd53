import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import type { AgentEvent, AgentEventType } from "../../../src/agent/events.js";
import { PRIORITY } from "../../../src/agent/priority.js";
import { startPostgres, type TestPostgres } from "../store/postgres.js";
import type { AgentWorldOptions } from "../world.js";
import { type SharedAgentInTest, SharedWorld } from "./world.js";

const VSYS = "devices/entry[@name='localhost.localdomain']/vsys/entry[@name='vsys1']";

let postgres: TestPostgres;
let shared: SharedWorld;
let agents: SharedAgentInTest[];
beforeAll(async () => {
  postgres = await startPostgres();
});
afterAll(async () => await postgres.stop());
beforeEach(() => {
  agents = [];
});
afterEach(async () => await shared.close());

async function start(count: number, options: AgentWorldOptions, concurrency?: number): Promise<void> {
  shared = await SharedWorld.start(postgres, options);
  for (let n = 0; n < count; n++) agents.push(await shared.agent(concurrency));
  await Promise.all(agents.map((agent) => agent.event("commit-in-force")));
}

/** Returns the first agent that reports such an event, while time advances for all of them. */
async function anyOf<Type extends AgentEventType>(type: Type, fits: (event: Extract<AgentEvent, { type: Type }>) => boolean = () => true) {
  return await shared.live(Promise.race(agents.map((agent) => agent.event(type, fits))), agents);
}

interface Work {
  readonly target: string;
  readonly first: number;
  readonly last: number;
}

/**
 * Returns the sequences from the first write to the commit, in the order of the firewalls' journals, oldest first; only for commits of the
 * repository.
 */
function workOn(commit: string): Work[] {
  const work = shared.world.lab.devices.flatMap(({ name, state: { journal } }) => {
    const own = journal.filter(({ admin }) => admin === "netops");
    const commits = own.filter(({ type, cmd }) => type === "commit" && (cmd ?? "").includes(commit));
    return commits.map(({ n }) => {
      const writes = own.filter((each) => each.n <= n && /multi-config|<config-lock><add>/.test(`${each.action} ${each.cmd}`));
      const lock = writes.findLast(({ cmd }) => /<config-lock><add>/.test(cmd ?? ""));
      return { target: name, first: lock?.n ?? n, last: n };
    });
  });
  return work.sort((a, b) => a.first - b.first);
}

describe("a roll-out over several agents", () => {
  const NAMES = ["left", "right", "other", "canary"];
  const want = (value: string): string => {
    for (const name of NAMES) shared.world.want(name, { a: value });
    return shared.world.push(value);
  };

  it("goes to the canary first, never to two peers together, and stops for all when one fails", async () => {
    await start(3, { targets: NAMES, agent: "rollout: { canary: [canary], apart: [[left, right]] }" });
    await anyOf("rollout-ended");
    shared.world.lab.fault({ match: { type: "commit", device: "canary" }, effect: { kind: "job-fails", lines: ["no"] }, count: 2 });
    const commit = want("10.0.0.2");
    expect(await anyOf("rollout-stopped")).toMatchObject({ commit, failed: "canary", left: ["left", "other", "right"] });
    await anyOf("apply-failed", ({ attempt }) => attempt === 2);
    expect(new Set(workOn(commit).map(({ target }) => target))).toEqual(new Set(["canary"]));
    for (const name of ["left", "right", "other"]) expect(shared.world.addressesOf(name).a, name).toBe("10.0.0.1");
    await anyOf("rollout-ended", (event) => event.commit === commit);
    for (const name of NAMES) expect(shared.world.addressesOf(name).a, name).toBe("10.0.0.2");
    const work = workOn(commit);
    const canary = work.filter(({ target }) => target === "canary").at(-1);
    const of = (name: string): Work => work.find(({ target }) => target === name) ?? { target: name, first: 0, last: 0 };
    for (const name of ["left", "right", "other"]) expect(of(name).first, name).toBeGreaterThan(canary?.last ?? 0);
    expect(of("right").first > of("left").last || of("left").first > of("right").last, JSON.stringify(work)).toBe(true);
  }, 60_000);
});

it("a stopped roll-out retries its failed target before timer visits, and continues after another run has applied the commit", async () => {
  await start(1, { targets: ["canary", "other"], agent: "attempts: 1\nrollout: { canary: [canary] }" });
  await anyOf("rollout-ended");
  const { world } = shared;
  world.lab.fault({ match: { type: "commit", device: "canary" }, effect: { kind: "job-fails", lines: ["no"] }, count: 100 });
  for (const name of world.names) world.want(name, { a: "10.0.0.2" });
  const commit = world.push("both");
  await anyOf("rollout-stopped");
  const jobs = () => shared.query<{ priority: number }>("select priority from graphile_worker.jobs where key = 'visit:canary'");
  await expect.poll(jobs).toEqual([{ priority: PRIORITY.retry }]);
  world.lab.clearFaults();
  expect((await world.reconcileInWork({ targets: ["canary"] }))?.error).toBeUndefined();
  await anyOf("rollout-ended", (event) => event.commit === commit);
  expect(world.addressesOf("other").a).toBe("10.0.0.2");
}, 60_000);

describe("a commit that affects more targets than guards.targets, with several agents", () => {
  const NAMES = ["left", "right", "other"];

  it("is refused on each of them", async () => {
    await start(2, { targets: NAMES });
    for (const name of NAMES) await anyOf("applied", ({ target }) => target === name);
    const { world } = shared;
    world.write("plumbline.yaml", world.read("plumbline.yaml").replace("guards: { ", "guards: { targets: 2, "));
    for (const name of NAMES) world.want(name, { a: "10.0.0.2" });
    const commit = world.push("all");
    for (const name of NAMES) {
      const { refusals } = await anyOf("plan-refused", (event) => event.target === name && event.commit === commit);
      expect(refusals).toMatchObject([{ guard: "targets", allow: "--allow targets=3" }]);
    }
    for (const name of NAMES) expect(world.addressesOf(name).a, name).toBe("10.0.0.1");
  }, 60_000);
});

describe("a target that uses values of another, with several agents", () => {
  const reference = `"\${core:${VSYS}/address/entry[@name='a']/ip-netmask}"`;

  it("gets a commit after that one, whichever agent visits it, also if the agent of that one dies in between", async () => {
    // Allows one visit at a time, so an agent that is stopped in a visit does nothing else.
    await start(1, { targets: ["edge", "core"] }, 1);
    shared.world.want("edge", { taken: reference });
    const takes = shared.world.push("edge takes what core says");
    await anyOf("applied", (event) => event.target === "edge" && event.commit === takes);

    const [first] = agents.splice(0);
    if (first === undefined) throw new Error("no agent");
    const gone = first.gate.stopAt(({ text }) => text.includes("type=commit"));
    shared.world.want("core", { a: "10.0.0.7" });
    const commit = shared.world.push("core moves");
    await shared.live(gone, [first]);
    agents.push(await shared.agent());
    expect(shared.world.addressesOf("edge").taken).toBe("10.0.0.1");
    await anyOf("applied", (event) => event.target === "edge" && event.commit === commit);
    expect(workOn(commit).map(({ target }) => target)).toEqual(["core", "edge"]);
    expect(workOn(commit)[1]?.first).toBeGreaterThan(workOn(commit)[0]?.last ?? 0);
    expect(shared.world.addressesOf("edge").taken).toBe("10.0.0.7");
  }, 60_000);
});

it("the history of all agents has the time of the database, whatever their own clocks show", async () => {
  await start(2, { targets: ["edge", "core"] }, 1);
  agents[0]?.clock.jump(-600_000);
  for (const name of ["edge", "core"]) await anyOf("applied", ({ target }) => target === name);
  const of = "abs(at - extract(epoch from clock_timestamp()) * 1000)";
  const rows = await shared.query<{ off: number }>(`select max(${of})::float8 as off, count(*) from history`);
  expect(rows[0]?.off).toBeLessThan(300_000);
});

it("a commit that an unexpected error keeps inactive is used again, with exactly its targets", async () => {
  await start(1, { targets: ["edge", "core"] });
  const [agent] = agents;
  if (agent === undefined) throw new Error("no agent");
  for (const name of ["edge", "core"]) await anyOf("applied", ({ target }) => target === name);
  const commits = agent.store.shared?.commits;
  if (commits === undefined) throw new Error("not shared");
  const took: (readonly string[])[] = [];
  const take = commits.take.bind(commits);
  vi.spyOn(commits, "take").mockImplementation(async (wanted) => {
    took.push(wanted.touched.map(({ target }) => target));
    if (took.length === 1) throw new Error("nobody foresaw this");
    return await take(wanted);
  });
  shared.world.want("edge", { a: "10.0.0.2" });
  const commit = shared.world.push("second");
  await anyOf("applied", (event) => event.target === "edge" && event.commit === commit);
  expect(agent.faults.splice(0)).toMatchObject([{ message: "nobody foresaw this" }]);
  expect(took).toEqual([["edge"], ["edge"]]);
  expect(shared.world.addressesOf("edge").a).toBe("10.0.0.2");
}, 60_000);

it("a database that stops during a commit leaves a pending commit, not drift, which is applied once the database is back", async () => {
  await start(2, { targets: ["edge"], agent: "driftInterval: 10m" });
  const { world } = shared;
  world.write("plumbline.yaml", `${world.read("plumbline.yaml")}ledger: store\n`);
  const first = world.push("the ledger is in the store");
  await anyOf("pass-ended", (event) => event.result === "in-sync" && event.commit === first);
  const from = agents.map(({ events }) => events.length);
  const suspended = agents.map(async (agent) => {
    await agent.gate.stopAt(({ text }) => text.includes("type=commit"));
    return agent;
  });
  world.want("edge", { a: "10.0.0.2", b: "10.0.0.3" });
  const commit = world.push("a changes, b is new");
  const agent = await shared.live(Promise.race(suspended), agents);
  await postgres.away(5_000);
  const others = agents.filter((each) => each !== agent);
  for (const { gate } of others) gate.open();
  // Time stands still for the suspended visit, so its lease ends. Either agent can make the next visit.
  const applied = agents.map((each) => each.event("applied", (event) => event.commit === commit));
  await shared.live(Promise.race(applied), others);
  expect(world.addressesOf()).toMatchObject({ a: "10.0.0.2", b: "10.0.0.3" });
  agent.gate.open();
  await anyOf("pass-ended", (event) => event.result === "in-sync" && event.commit === commit);
  expect(world.addressesOf()).toMatchObject({ a: "10.0.0.2", b: "10.0.0.3" });
  const since = agents.flatMap(({ events }, at) => events.slice(from[at]));
  expect(since.filter(({ type }) => type.startsWith("drift-"))).toEqual([]);
  for (const event of since) if (event.type === "pass-ended") expect(event.drift).toEqual([]);
  expect(await agent.store.drift.open()).toEqual([]);
}, 120_000);

it("with --once, targets that do not answer give their slots up, and the run waits for them", async () => {
  shared = await SharedWorld.start(postgres, { targets: ["hung1", "hung2", "good"] });
  const { lab } = shared.world;
  for (const device of ["hung1", "hung2"]) lab.fault({ match: { device }, count: 1_000, effect: { kind: "hold", when: "before" } });
  const agent = await shared.agent(1, undefined, true);
  const applied = () => agent.events.flatMap((event) => (event.type === "applied" ? [event.target] : []));
  await agent.event("commit-in-force");
  try {
    await shared.live(agent.event("applied"), [agent]);
    expect(applied()).toEqual(["good"]);
  } finally {
    lab.clearFaults();
    lab.release();
  }
  await shared.live(agent.ended(), [agent]);
  expect(applied().sort()).toEqual(["good", "hung1", "hung2"]);
}, 90_000);
