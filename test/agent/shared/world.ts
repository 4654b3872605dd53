import { mkdirSync } from "node:fs";
import { join } from "node:path";
import pg from "pg";
import type { AgentEvent, AgentEventType } from "../../../src/agent/events.js";
import { loadHere } from "../../../src/agent/loading/loader.js";
import { type OpenAgent, openAgent } from "../../../src/agent/open.js";
import { openStore } from "../../../src/agent/store/open.js";
import type { Store } from "../../../src/agent/store/store.js";
import { SecretValue } from "../../../src/core/secret.js";
import { readAgent } from "../../../src/desired/configuration/agent.js";
import { thisMachine } from "../../../src/engine/pass/machine.js";
import { type PanosDependencies, systemDependencies } from "../../../src/targets/panos/dependencies.js";
import { panosKind } from "../../../src/targets/panos/kind.js";
import { openPanosReader } from "../../../src/targets/panos/reader.js";
import { openPanosWriter } from "../../../src/targets/panos/writer.js";
import { passOptions } from "../../pass-options.js";
import { FakeClock } from "../fake-clock.js";
import type { TestPostgres } from "../store/postgres.js";
import { AgentWorld, type AgentWorldOptions } from "../world.js";
import { Gate } from "./gate.js";

type Of<Type extends AgentEventType> = Extract<AgentEvent, { readonly type: Type }>;
type Logger = Parameters<typeof systemDependencies>[0];

/** Shorter than a third of a lease, so that no living agent loses its lease. */
const STEP = 5_000;
const MOST = 500;

const QUIET: Logger = { debug: () => undefined, warn: () => undefined };

/** One of several agents in this process. Its clock is stopped, and its requests can be delayed. */
export class SharedAgentInTest {
  readonly clock = new FakeClock();
  readonly gate = new Gate();
  readonly events: AgentEvent[] = [];
  readonly faults: unknown[] = [];
  #waiting: (() => void)[] = [];
  readonly #stop = new AbortController();
  #running: Promise<void> | undefined;
  #open: OpenAgent | undefined;
  #store: Store | undefined;

  get open(): OpenAgent {
    if (this.#open === undefined) throw new Error("not open");
    return this.#open;
  }

  get store(): Store {
    if (this.#store === undefined) throw new Error("not open");
    return this.#store;
  }

  /** `passed`: milliseconds that have passed by the clock of the database, in addition to real time. */
  async start(
    world: AgentWorld,
    url: string,
    stateFolder: string,
    concurrency: number,
    passed: () => number,
    isOnce = false,
  ): Promise<void> {
    mkdirSync(stateFolder, { recursive: true });
    this.#store = withTime(await openStore({ kind: "postgres", url: new SecretValue(url, "url") }, { readOnly: false }), passed);
    const connections = dependenciesBehind(this.gate);
    this.#open = await openAgent({
      settings: readAgent({ source: { url: world.remote, branch: "main" }, http: { port: 0 } }, stateFolder),
      fixed: { concurrency },
      configurationFile: undefined,
      store: this.#store,
      pass: passOptions({
        stateFolder,
        kinds: new Map([["panos", panosKind]]),
        environment: world.environment,
        machine: { ...thisMachine, now: () => this.clock.now() },
        stop: this.#stop.signal,
      }),
      write: { takeover: false, lockTimeout: 0, sleep: async () => undefined },
      load: loadHere,
      writers: {
        reader: (configuration) => openPanosReader(configuration as never, connections),
        writer: (configuration) => openPanosWriter(configuration as never, connections),
        guards: () => ({ management: () => undefined, meaning: () => undefined, neverPruned: () => false }),
      },
      clock: this.clock,
      stop: this.#stop.signal,
      onFault: (error) => void this.faults.push(error),
    });
    this.#open.events.listen((event) => {
      this.events.push(event);
      for (const wake of this.#waiting.splice(0)) wake();
    });
    const { agent } = this.#open;
    this.#running = isOnce ? agent.once(this.#stop.signal).then(() => undefined) : agent.run(this.#stop.signal);
  }

  /** Returns the next event of the type that matches, starting at number `from`. */
  async event<Type extends AgentEventType>(type: Type, fits: (event: Of<Type>) => boolean = () => true, from = 0): Promise<Of<Type>> {
    for (let at = from; ; at++) {
      while (at >= this.events.length) await new Promise<void>((wake) => this.#waiting.push(wake));
      const event = this.events[at];
      if (event?.type === type && fits(event as Of<Type>)) return event as Of<Type>;
    }
  }

  /** Resolves when the agent has ended by itself. */
  async ended(): Promise<void> {
    await this.#running;
  }

  async end(): Promise<void> {
    this.gate.open();
    this.#stop.abort();
    await this.#running;
    await this.#store?.close();
    this.#store = undefined;
  }
}

/** A repository and lab firewalls as for one agent, and a PostgreSQL for any number of them. */
export class SharedWorld {
  readonly world: AgentWorld;
  readonly url: string;
  readonly #agents = new Set<SharedAgentInTest>();
  #started = 0;
  #passed = 0;
  #client: pg.Client | undefined;

  private constructor(world: AgentWorld, url: string) {
    this.world = world;
    this.url = url;
  }

  /** A database of its own in `postgres`. */
  static async start(postgres: TestPostgres, options: AgentWorldOptions = {}): Promise<SharedWorld> {
    return new SharedWorld(await AgentWorld.start(options), await postgres.createDatabase());
  }

  /** `before`: runs before the start. */
  async agent(concurrency = 4, before: (agent: SharedAgentInTest) => void = () => undefined, isOnce = false): Promise<SharedAgentInTest> {
    const name = `agent${this.#started++}`;
    const agent = new SharedAgentInTest();
    this.#agents.add(agent);
    before(agent);
    await agent.start(this.world, this.url, join(this.world.folder, name), concurrency, () => this.#passed, isOnce);
    return agent;
  }

  async end(agent: SharedAgentInTest): Promise<void> {
    this.#agents.delete(agent);
    await agent.end();
    if (agent.faults.length > 0) throw new AggregateError(agent.faults, "unforeseen");
  }

  /** Lets so many milliseconds pass by the database's clock, for leases, members and jobs. */
  async passTime(milliseconds: number): Promise<void> {
    const by = Math.round(milliseconds);
    this.#passed += by;
    const interval = `interval '${by} ms'`;
    // One transaction for each agent, with its rows in the order of their names, as agents lock them, so that a holder never waits for an
    // earlier row.
    const leases = "select target from leases where holder <> '' order by target for update";
    await this.query(`update leases set expires = expires - ${by}, free = free - ${by} where target in (${leases})`);
    // Silence also counts from the start of the database server, which a test cannot move. A beat sets the limit again.
    await this.query(`update members set gone_after = gone_after - ${by} where id in (select id from members order by id for update)`);
    await this.query(
      `select graphile_worker.reschedule_jobs(array[id], run_at := run_at - ${interval}) from graphile_worker.jobs where locked_at is null order by key, id`,
    );
    await this.query("select pg_notify('jobs:insert', '')");
  }

  /** Lets time go by, in the database and for those agents that still live, until something has happened. */
  async live<Result>(something: Promise<Result>, agents: readonly SharedAgentInTest[]): Promise<Result> {
    let isOver = false;
    const over = something.finally(() => {
      isOver = true;
    });
    over.catch(() => undefined);
    for (let step = 0; !isOver; step++) {
      if (step > MOST) throw new Error(await this.#words(agents));
      await this.passTime(STEP);
      for (const { clock } of agents) clock.advance(STEP);
      await Promise.race([over.catch(() => undefined), turn()]);
    }
    return await over;
  }

  async #words(agents: readonly SharedAgentInTest[]): Promise<string> {
    const leases = await this.query("select target, holder, fence, pending, wanted, state from leases");
    const jobs = await this.query("select key, run_at - now() as wait, locked_by, attempts from graphile_worker.jobs");
    const said = agents.map(({ events, gate }) => [
      events.slice(-12).map((event) => `${event.type} ${"target" in event ? event.target : ""}`),
      gate.sent.slice(-1).map(({ text }) => text.slice(0, 80)),
    ]);
    return `nothing came of it:\n${[...leases, ...jobs, ...said].map((each) => JSON.stringify(each)).join("\n")}`;
  }

  async query<Row extends pg.QueryResultRow>(text: string): Promise<Row[]> {
    if (this.#client === undefined) {
      const client = await connected(this.url);
      // The server ended. The next query connects again.
      client.on("error", () => {
        this.#client = undefined;
      });
      this.#client = client;
    }
    return (await this.#client.query<Row>(text)).rows;
  }

  async close(): Promise<void> {
    for (const agent of this.#agents) await agent.end();
    await this.#client?.end();
    await this.world.close();
  }
}

/** The database reports its time at each beat. */
function withTime(store: Store, passed: () => number): Store {
  const { shared } = store;
  if (shared === undefined) throw new Error("not shared");
  const { members } = shared;
  const beat: typeof members.beat = async (...words) => (await members.beat(...words)) + passed();
  return { ...store, shared: { ...shared, members: { ...members, beat } } };
}

/** Polls of jobs are a hundred times more frequent than on a real device. */
function dependenciesBehind(gate: Gate): PanosDependencies {
  const system = systemDependencies(QUIET);
  return {
    ...system,
    clock: { now: () => performance.now(), sleep: (milliseconds) => new Promise((done) => setTimeout(done, milliseconds / 100)) },
    dispatcher: (origin, options) => gate.before(system.dispatcher(origin, options)),
  };
}

async function connected(url: string): Promise<pg.Client> {
  const client = new pg.Client(url);
  await client.connect();
  return client;
}

/** Lets agents and labs of this process work. */
async function turn(): Promise<void> {
  await new Promise((done) => setTimeout(done, 50));
}
