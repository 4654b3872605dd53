import { afterEach, beforeEach, expect, it } from "vitest";
import type { Store } from "../../src/agent/store/store.js";
import { TrafficKeeper, type TrafficKeeperParts } from "../../src/agent/traffic-keeper.js";
import { WakeableSleep } from "../../src/agent/wakeable-sleep.js";
import { readAgent } from "../../src/desired/configuration/agent.js";
import type { ReadTarget } from "../../src/engine/target.js";
import { panosKind } from "../../src/targets/panos/kind.js";
import { BoxLog } from "../reachability/box-log.js";
import { FakeClock } from "./fake-clock.js";
import { onEachDatabase } from "./store/each-database.js";
import { AgentWorld } from "./world.js";

const QUARTER = 15 * 60_000;

/** A target and agents that keep its traffic; who answers may change. */
class Scene {
  readonly clock = new FakeClock();
  readonly faults: unknown[] = [];
  settings = readAgent({ traffic: { keep: "7d" } }, "/");
  box = { serial: "0070", log: new BoxLog() };
  opened = 0;
  /** Runs before a reader is opened. */
  onOpen: () => void = () => undefined;

  keeper(store: Store, stop = new AbortController().signal): TrafficKeeper {
    const reader = async () => ({
      logs: this.box.log,
      open: async () => {
        this.opened++;
        this.onOpen();
        return { identity: { serial: this.box.serial } };
      },
      close: async () => undefined,
    });
    const parts = {
      source: { inForce: { targets: new Map([["edge", {}]]) } },
      contexts: { of: async () => ({ configuration: {}, policies: panosKind.policies }) },
      ...{ store, stop, clock: this.clock, wake: new WakeableSleep(this.clock), stateFolder: "/nowhere" },
      readers: { reader: reader as unknown as () => Promise<ReadTarget> },
      settings: () => this.settings,
      onFault: (error: unknown) => void this.faults.push(error),
    };
    return new TrafficKeeper(parts as unknown as TrafficKeeperParts);
  }

  pass(milliseconds: number): void {
    this.clock.advance(milliseconds);
    this.box.log.clock += milliseconds;
  }
}

async function timesIn(store: Store): Promise<number> {
  let times = 0;
  for await (const { flows } of (await store.traffic.of("edge"))?.hours("") ?? []) for (const flow of flows) times += flow.times;
  return times;
}

let scene: Scene;
beforeEach(() => {
  scene = new Scene();
});
afterEach(() => expect(scene.faults).toEqual([]));

onEachDatabase("an agent that keeps traffic", (database) => {
  it("reads a log when it is due, and no more often", async () => {
    const store = await database.store();
    const keeper = scene.keeper(store);
    scene.box.log.session();
    await keeper.look();
    scene.box.log.session();
    scene.pass(QUARTER - 1);
    await keeper.look();
    expect([scene.opened, await timesIn(store)]).toEqual([1, 1]);
    scene.pass(1);
    await keeper.look();
    expect([scene.opened, await timesIn(store)]).toEqual([2, 2]);
  });

  it("counts each session once, although several slow agents share one store", async () => {
    const location = await database.fresh();
    const stores = [await database.open(location), await database.open(location)];
    const [first, second] = stores.map((store) => scene.keeper(store));
    const { log } = scene.box;
    for (let round = 1; round <= 5; round++) {
      for (let n = 0; n < 20; n++) log.session({ src: `10.0.0.${n}` });
      // The first reader's turn ends while it reads. The other starts and finishes first.
      log.afterPage = async () => {
        log.afterPage = undefined;
        scene.clock.advance(QUARTER + 1);
        await second?.look();
      };
      await first?.look();
      expect(await Promise.all(stores.map((store) => timesIn(store)))).toEqual([20 * round, 20 * round]);
      scene.pass(QUARTER);
    }
    expect(scene.opened).toBe(10);
  });

  it("leaves an interrupted read to the next one, which counts nothing twice", async () => {
    const store = await database.store();
    const stop = new AbortController();
    for (let n = 0; n < 7000; n++) scene.box.log.session();
    scene.box.log.afterPage = () => {
      stop.abort();
      throw new Error("the connection is closed");
    };
    await scene.keeper(store, stop.signal).look();
    expect([await timesIn(store), await store.traffic.of("edge")]).toEqual([0, undefined]);
    scene.box.log.afterPage = undefined;
    scene.pass(QUARTER);
    await scene.keeper(store).look();
    expect(await timesIn(store)).toBe(7000);
  });

  it("continues in the log of the answering device: each member of a pair has its own", async () => {
    const store = await database.store();
    const keeper = scene.keeper(store);
    const one = scene.box;
    one.log.session();
    await keeper.look();
    one.log.session();
    scene.box = { serial: "0071", log: new BoxLog() };
    scene.box.log.session();
    scene.pass(QUARTER);
    await keeper.look();
    const kept = await store.traffic.of("edge");
    expect(kept?.boxes.map(({ box, until }) => [box, until])).toEqual([
      ["0071", "2026/11/20 10:15:00"],
      ["0070", "2026/11/20 10:00:00"],
    ]);
    // The firewall is back. Its earlier log records are read now.
    one.log.clock = scene.box.log.clock;
    scene.box = one;
    scene.pass(QUARTER);
    await keeper.look();
    expect([await timesIn(store), (await store.traffic.of("edge"))?.gaps]).toEqual([3, []]);
  });

  it("reports an unreadable log, and keeps its data", async () => {
    const store = await database.store();
    const keeper = scene.keeper(store);
    scene.box.log.session();
    await keeper.look();
    scene.onOpen = () => {
      throw new Error("it is away");
    };
    scene.pass(QUARTER);
    await keeper.look();
    expect([await timesIn(store), (await store.traffic.of("edge"))?.failure]).toEqual([1, "it is away"]);
  });

  it("deletes a target that is no longer kept, and reads nothing if nothing is kept", async () => {
    const store = await database.store();
    const keeper = scene.keeper(store);
    scene.box.log.session();
    await keeper.look();
    scene.settings = readAgent({}, "/");
    scene.pass(QUARTER);
    await keeper.look();
    expect([await store.traffic.targets(), scene.opened]).toEqual([[], 1]);
  });
});

it("runs next to visits, with its own timer", async () => {
  const world = await AgentWorld.startForTest({ agent: "traffic: { keep: 7d }\ndriftInterval: 2h" });
  await world.run();
  await world.settle();
  const { store } = world;
  const pass = async (milliseconds: number): Promise<void> => {
    world.clock.advance(milliseconds);
    await world.clock.nextSleep();
    await world.settle();
  };
  const readings = async (): Promise<number> => {
    const box = (await store?.traffic.of("edge"))?.boxes[0]?.box;
    return box === undefined ? 0 : ((await store?.traffic.log("edge", box))?.version ?? 0);
  };
  // The first commit has come into force.
  await pass(60_000);
  expect(await readings()).toBe(1);
  await pass(QUARTER - 1);
  expect(await readings()).toBe(1);
  await pass(60_000);
  expect(await readings()).toBe(2);
  expect(world.seen("pass-started")).toBe(2);
});
