import { renameSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { PlumblineError } from "../../src/core/errors.js";
import type { Effect } from "../../src/lab/panos/faults/fault.js";
import { AgentWorld } from "./world.js";

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const RUNS = process.env.PLUMBLINE_SOAK === undefined ? 6 : 100;
const NAMES = ["edge", "core"];

const EFFECTS: readonly Effect[] = [
  { kind: "status", status: 503 },
  { kind: "busy" },
  { kind: "job-fails", lines: ["no"] },
  { kind: "drop" },
  { kind: "drop-reply" },
  { kind: "cut" },
  { kind: "html", status: 502 },
];

const name = fc.constantFrom(...NAMES);
const step = fc.oneof(
  { weight: 4, arbitrary: fc.record({ do: fc.constant("push" as const), name }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("push what is broken" as const) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("force another history" as const), name }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("meddle" as const), name }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("set the clock" as const), hours: fc.integer({ min: -72, max: 72 }) }) },
  {
    weight: 4,
    arbitrary: fc.record({ do: fc.constant("wait" as const), minutes: fc.integer({ min: 1, max: 70 }), settled: fc.boolean() }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("lose the remote" as const) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("lose the store" as const) }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("start again" as const) }) },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant("disturb" as const),
      name,
      effect: fc.constantFrom(...EFFECTS),
      nth: fc.integer({ min: 1, max: 20 }),
    }),
  },
);
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

/** A world and the actions that were applied to it. */
class Chaos {
  readonly world: AgentWorld;
  readonly wanted = new Map(NAMES.map((each) => [each, "10.0.0.1"]));
  #count = 1;
  #remoteIsThere = true;
  #mendStore: () => void = () => undefined;

  constructor(world: AgentWorld) {
    this.world = world;
  }

  async take(what: Step): Promise<void> {
    const { world } = this;
    switch (what.do) {
      case "push":
        return void this.#push(what.name);
      case "push what is broken":
        world.write("edge/objects.yaml", "target: edge\nscope: vsys1\nconfig:\n  address: [\n");
        return this.#send("broken");
      case "force another history":
        if (Number(world.git("rev-list", "--count", "HEAD")) > 1) world.git("reset", "--quiet", "--soft", "HEAD~1");
        return void this.#push(what.name);
      case "meddle":
        return world.meddle("a", `10.9.9.${this.#count++ % 250}`, what.name);
      case "set the clock":
        return world.clock.jump(what.hours * HOUR + SECOND);
      case "wait":
        if (what.settled) await world.settle();
        return world.clock.advance(what.minutes * MINUTE);
      case "lose the remote":
        return this.#moveRemote(!this.#remoteIsThere);
      case "lose the store":
        return this.#loseStore();
      case "start again":
        await world.end();
        return await world.run();
      case "disturb":
        return world.lab.fault({ match: { device: what.name, nth: what.nth }, effect: what.effect });
    }
  }

  /** Everything works again, and a last commit is pushed; gives it. */
  async peace(): Promise<string> {
    this.#moveRemote(true);
    this.#mendStore();
    this.world.lab.clearFaults();
    for (const each of NAMES) this.#push(each);
    const commit = this.world.push("peace");
    for (let tries = 0; !this.#isAsWanted(); tries++) {
      if (tries === 12) throw new Error(`not there after ${tries} tries`);
      await this.world.settle();
      const fetched = this.world.event("source-fetched", undefined, this.world.events.length);
      this.world.clock.advance(35 * MINUTE);
      await fetched;
      await this.world.settle();
    }
    return commit;
  }

  #isAsWanted(): boolean {
    return NAMES.every((each) => this.world.addressesOf(each).a === this.wanted.get(each));
  }

  #push(target: string): void {
    const value = `10.${1 + (this.#count >> 8)}.${this.#count % 250}.1`;
    this.#count += 1;
    this.wanted.set(target, value);
    for (const each of NAMES) this.world.want(each, { a: this.wanted.get(each) ?? "" });
    this.#send(`${target} is ${value}`);
  }

  /** Pushes fail while the remote is away. */
  #send(message: string): void {
    if (this.#remoteIsThere) this.world.push(message);
    else this.world.commit(message);
  }

  #moveRemote(isThere: boolean): void {
    if (isThere === this.#remoteIsThere) return;
    const away = `${this.world.remote}-away`;
    if (isThere) renameSync(away, this.world.remote);
    else renameSync(this.world.remote, away);
    this.#remoteIsThere = isThere;
  }

  #loseStore(): void {
    const passes = this.world.store?.passes as { start: unknown; record: unknown; finish: unknown } | undefined;
    if (passes === undefined) return;
    const real = { ...passes };
    const full = async () => {
      throw new PlumblineError("store-full", "There is no room left");
    };
    Object.assign(passes, { start: full, record: full, finish: full });
    const mendBefore = this.#mendStore;
    this.#mendStore = () => {
      Object.assign(passes, real);
      mendBefore();
    };
  }
}

describe("an agent with random faults", () => {
  it(
    "reaches the desired state after the faults; nothing is applied twice, nothing is lost",
    async () => {
      await fc.assert(
        fc.asyncProperty(fc.array(fc.tuple(step, fc.nat(80)), { minLength: 4, maxLength: 16 }), async (steps) => {
          const settings = "healLimit: 100000\nattempts: 1000\nskipPasses: 2";
          const world = await AgentWorld.start({ targets: NAMES, agent: settings, device: { strict: true } });
          // It depends on timing whether the agent saw a commit before the force-push. If it did, the replacement would be refused.
          world.signatures = { allowRewind: true };
          try {
            const chaos = new Chaos(world);
            await world.run();
            for (const [each, turns] of steps) {
              await chaos.take(each);
              // The next action happens at any point of the work that this one started.
              for (let turn = 0; turn < turns; turn++) await new Promise((next) => setImmediate(next));
            }
            await chaos.peace();
            for (const each of NAMES) {
              expect(world.device(each).state.violations).toEqual([]);
              const applied = world.events.filter((event) => event.type === "applied");
              const once = applied.filter((event) => event.target === each && event.heals === 0 && event.applied.operations > 0);
              expect(new Set(once.map(({ digest }) => digest)).size).toBe(once.length);
            }
            await world.settle();
            const page = await world.store?.history.find({ limit: 1000, kinds: ["pass"] });
            expect(page?.entries.filter(({ outcome }) => outcome === undefined || outcome === null)).toEqual([]);
          } finally {
            await world.close();
          }
        }),
        { numRuns: RUNS, endOnFailure: true, verbose: 1 },
      );
    },
    RUNS * 60_000,
  );
});
