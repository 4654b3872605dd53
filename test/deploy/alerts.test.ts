import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import type { AgentEvent } from "../../src/agent/events.js";
import { type AgentMetrics, agentMetrics } from "../../src/agent/metrics/page.js";
import type { StoredStatus, TargetStatus } from "../../src/agent/metrics/stored-status.js";
import type { RolloutStatus } from "../../src/agent/rollouts.js";
import { known, outcome, passEnded, problem, T0 } from "../agent/events.js";
import { Samples, SCRAPE, seconds } from "./promql.js";
import { checkRules, differences, type Firing, INCLUDES_START, PROMTOOL } from "./promtool.js";

interface Rule {
  readonly alert: string;
  readonly expr: string;
  readonly for: string;
  readonly annotations: Readonly<Record<string, string>>;
}

const FILE = fileURLToPath(new URL("../../deploy/helm/plumbline/alerts.yaml", import.meta.url));
const RULES = (parse(readFileSync(FILE, "utf8")) as { groups: { rules: Rule[] }[] }).groups.flatMap(({ rules }) => rules);
const METRICS = new Set(RULES.flatMap(({ expr }) => expr.match(/plumbline_[a-z_]+/g) ?? []));

type Event = AgentEvent extends infer Each ? (Each extends unknown ? Omit<Each, "time"> : never) : never;

/** Condition of a target or an agent that a rule is about. */
interface Scenario {
  readonly alert: string;
  /** Minutes after which the alert fires. */
  readonly minutes: number;
  /** Minutes after the end of the condition, after which the alert no longer fires. */
  readonly after?: number;
  /** Events of the visits during the condition. */
  readonly visit?: (since: number) => readonly Event[];
  /** Events of the first visit after the condition. */
  readonly ended?: readonly Event[];
  /** Events that every agent gets at the start of the condition, and again after its restart. */
  readonly begins?: readonly Event[];
  /** Events that every agent gets at the end of the condition. */
  readonly ends?: readonly Event[];
  readonly status?: (since: number) => Partial<TargetStatus>;
  readonly held?: string;
  readonly rollout?: RolloutStatus;
  readonly ignores?: { readonly ending: number; readonly ended: number };
  readonly ruleEnds?: readonly number[];
  readonly isReady?: false;
  /** The repository does not answer. */
  readonly isAway?: true;
  /** Applied to the metrics of an agent each minute during the condition. */
  readonly minute?: (metrics: AgentMetrics["metrics"]) => void;
}

const PASS = passEnded("in-sync");

const SCENARIOS: readonly Scenario[] = [
  { alert: "PlumblineDown", minutes: 10, isReady: false },
  {
    alert: "PlumblineDrift",
    minutes: 90,
    visit: (since) => [passEnded("drifted", { drift: [known("a", since)] })],
    status: (since) => ({ drifts: 1, oldest: since, isInSync: false }),
  },
  {
    alert: "PlumblineCommitWaits",
    minutes: 90,
    visit: () => [passEnded("pending", { waiting: { changes: 2, held: "window" } })],
    status: () => ({ pending: 2, isInSync: false }),
  },
  { alert: "PlumblineIgnoreEnds", minutes: 5, ignores: { ending: 1, ended: 0 } },
  { alert: "PlumblineRuleEnds", minutes: 5, ruleEnds: [-1, 7] },
  { alert: "PlumblineTargetNotReached", minutes: 150, visit: () => [passEnded("failed", { outcome: outcome({ error: problem() }) })] },
  {
    alert: "PlumblinePlanRefused",
    minutes: 30,
    after: 60,
    visit: () => [passEnded("refused", { outcome: outcome({ error: problem("plan-refused") }) })],
  },
  {
    alert: "PlumblineApplyHeld",
    minutes: 30,
    visit: () => [{ type: "held", target: "edge", reason: "retries-spent", message: "failed" }],
    ended: [{ type: "released", target: "edge", reason: "retries-spent" }],
    held: "retries-spent",
  },
  {
    alert: "PlumblinePausedLong",
    minutes: 9 * 60,
    begins: [{ type: "paused", pause: { target: "edge", reason: "work", by: "bob", since: T0, until: undefined } }],
    ends: [{ type: "resumed", target: "edge", why: "command" }],
  },
  { alert: "PlumblineRepositoryAway", minutes: 45, isAway: true },
  {
    alert: "PlumblineCommitRefused",
    minutes: 10,
    after: 80,
    begins: [{ type: "commit-broken", commit: "bad", inForce: "c0ffee", errors: [problem("yaml-invalid")] } as Event],
  },
  {
    alert: "PlumblineRolloutStopped",
    minutes: 10,
    rollout: { commit: "c0ffee", wave: 1, of: 2, failed: ["edge"], open: [], left: ["core"] },
  },
  {
    alert: "PlumblineSlow",
    minutes: 60,
    after: 60,
    minute: ({ queueWait }) => {
      for (let visit = 0; visit < 10; visit++) queueWait.observe(120);
    },
  },
  {
    alert: "PlumblineNotificationsFail",
    minutes: 30,
    after: 90,
    minute: ({ notifications }) => notifications.inc({ channel: "mail", result: "failed" }),
  },
];

/** Agents with a common store, a Prometheus that scrapes them each minute, and the alert rules. */
class Fleet {
  readonly #samples = new Samples(INCLUDES_START);
  readonly #agents: AgentMetrics[] = [];
  readonly #pending = new Map<string, number>();
  #now = T0;
  #minute = 0;
  #since = T0;
  #active: Scenario | undefined;
  #ended: readonly Event[] = [];
  #reached = T0;
  readonly #minutes: Firing[] = [];

  private constructor() {}

  /** Names of the alerts that fire now. */
  get firing(): readonly string[] {
    return [...(this.#minutes.at(-1)?.keys() ?? [])];
  }

  /** Claims that an alert fires now. */
  claim(alert: string): void {
    this.#minutes[this.#minutes.length - 1] = new Map([[alert, 1]]);
  }

  /** Returns the minutes in which promtool reports other alerts for the same samples. */
  differences(promtool: string): string {
    return differences(promtool, FILE, this.#samples.all(METRICS), T0 / 1000 + SCRAPE, this.#minutes);
  }

  static async start(agents: number): Promise<Fleet> {
    const fleet = new Fleet();
    for (let at = 0; at < agents; at++) await fleet.restart(at);
    return fleet;
  }

  async restart(at: number): Promise<void> {
    const names = ["edge", "core"];
    const agent = agentMetrics({
      version: "1",
      now: () => this.#now,
      ready: () => this.#active?.isReady !== false,
      targets: () => names,
      usage: async () => ({ bytes: 1, rows: 1 }),
      status: async () => this.#status(),
      rollout: async () => this.#active?.rollout,
      unanswered: async () => new Map(),
      ignores: () => new Map([["edge", this.#active?.ignores ?? { ending: 0, ended: 0 }]]),
      ruleEnds: () => new Map([["edge", this.#active?.ruleEnds ?? []]]),
      channels: () => ["mail"],
      runner: `host${at}:1`,
    });
    this.#agents[at] = agent;
    await this.#tell(agent, { type: "commit-in-force", commit: "c0ffee", previous: undefined, author: "ann", targets: names } as Event);
    if (this.#active?.isAway !== true) await this.#tell(agent, { type: "source-fetched", commit: "c0ffee" } as Event);
    // The agent is scraped before its first visit, and then reports the result of the visit.
    await this.#endMinute();
    for (const event of this.#active?.begins ?? []) await this.#tell(agent, event);
  }

  async begin(scenario: Scenario): Promise<void> {
    this.#active = scenario;
    this.#since = this.#now;
    for (const agent of this.#agents) for (const event of scenario.begins ?? []) await this.#tell(agent, event);
  }

  async end(): Promise<void> {
    for (const agent of this.#agents) for (const event of this.#active?.ends ?? []) await this.#tell(agent, event);
    this.#ended = this.#active?.ended ?? [];
    this.#active = undefined;
  }

  /** Lets minutes pass. Every 15 minutes one of the agents visits the targets, and every 5 minutes all fetch. */
  async pass(minutes: number): Promise<void> {
    for (let passed = 0; passed < minutes; passed++) {
      for (const agent of this.#agents) {
        this.#active?.minute?.(agent.metrics);
        agent.metrics.queueWait.observe(0.1);
        if (this.#minute % 5 === 0 && this.#active?.isAway !== true)
          await this.#tell(agent, { type: "source-fetched", commit: "c0ffee" } as Event);
      }
      if (this.#minute % 15 === 0) await this.#visit();
      await this.#endMinute();
    }
  }

  async #endMinute(): Promise<void> {
    this.#now += SCRAPE * 1000;
    this.#minute += 1;
    for (const [at, agent] of this.#agents.entries()) {
      this.#samples.scrape(`host${at}`, this.#now / 1000, (await agent.page()).text);
    }
    this.#evaluate();
  }

  async #visit(): Promise<void> {
    const agent = this.#agents[(this.#minute / 15) % this.#agents.length];
    if (agent === undefined) return;
    await this.#tell(agent, passEnded("in-sync", { target: "core" }));
    const events = this.#active?.visit?.(this.#since) ?? [PASS];
    for (const event of [...this.#ended, ...events]) await this.#tell(agent, event);
    this.#ended = [];
    const isReached = events.every((event) => event.type !== "pass-ended" || event.result !== "failed");
    if (isReached) this.#reached = this.#now;
  }

  #status(): StoredStatus {
    const healthy = { runner: "other:1", isInSync: true, drifts: 0, oldest: undefined, pending: 0 };
    const edge = { ...healthy, reached: this.#reached, ...this.#active?.status?.(this.#since) };
    const targets = new Map([
      ["edge", edge],
      ["core", { ...healthy, reached: this.#now }],
    ]);
    const { held } = this.#active ?? {};
    const isShared = this.#agents.length > 1;
    return { targets, held: isShared ? new Map(held === undefined ? [] : [["edge", held]]) : undefined };
  }

  async #tell(agent: AgentMetrics, event: Event): Promise<void> {
    await agent.listen({ ...event, time: this.#now } as AgentEvent);
  }

  #evaluate(): void {
    const now = this.#now / 1000;
    const active = new Set<string>();
    const firing = new Map<string, number>();
    for (const rule of RULES) {
      for (const { labels } of this.#samples.evaluate(rule.expr, now)) {
        const id = `${rule.alert} ${JSON.stringify(labels)}`;
        active.add(id);
        const since = this.#pending.get(id) ?? now;
        this.#pending.set(id, since);
        if (now - since >= seconds(rule.for)) firing.set(rule.alert, (firing.get(rule.alert) ?? 0) + 1);
      }
    }
    for (const id of this.#pending.keys()) if (!active.has(id)) this.#pending.delete(id);
    this.#minutes.push(firing);
  }
}

describe("alert rules", () => {
  it("are all tested, and link to a section of the runbook", () => {
    expect(SCENARIOS.map(({ alert }) => alert)).toEqual(RULES.map(({ alert }) => alert));
    const runbook = readFileSync("docs/on-call.md", "utf8");
    for (const { alert, annotations } of RULES) {
      expect(annotations.runbook_url).toBe(`https://plumbline.example.com/docs/on-call.md#${alert.toLowerCase()}`);
      expect(runbook).toContain(`\n### ${alert}\n`);
    }
  });

  it.skipIf(PROMTOOL === undefined)("have no error that promtool finds", () => {
    expect(checkRules(PROMTOOL ?? "", FILE)).toEqual({ status: 0, out: expect.stringContaining(`SUCCESS: ${RULES.length} rules found`) });
  });

  it.skipIf(PROMTOOL === undefined)("are compared with promtool in every minute", async () => {
    const world = await Fleet.start(1);
    await world.pass(30);
    world.claim("PlumblineSlow");
    expect(world.differences(PROMTOOL ?? "")).toMatch(/time: 30m,\s+exp: {alertname="PlumblineSlow"}/);
  });

  for (const agents of [1, 2]) {
    const fleet = agents === 1 ? "one agent" : "two agents";

    it(`do not fire while everything is in order, also after restarts, with ${fleet}`, async () => {
      const world = await Fleet.start(agents);
      for (let restart = 0; restart < 4; restart++) {
        await world.pass(60);
        expect(world.firing).toEqual([]);
        await world.restart(restart % agents);
      }
      await world.pass(90);
      expect(world.firing).toEqual([]);
      if (PROMTOOL !== undefined) expect(world.differences(PROMTOOL)).toBe("");
    });

    for (const scenario of SCENARIOS) {
      const { alert, minutes, after = 20 } = scenario;

      it(`${alert} fires and ends with its condition, and no other alert fires, with ${fleet}`, async () => {
        const world = await Fleet.start(agents);
        await world.pass(60);
        await world.begin(scenario);
        await world.pass(minutes);
        expect(world.firing).toEqual([alert]);
        await world.end();
        await world.pass(after);
        expect(world.firing).toEqual([]);
        if (PROMTOOL !== undefined) expect(world.differences(PROMTOOL)).toBe("");
      });

      it(`${alert} fires if an agent restarts during its condition, with ${fleet}`, async () => {
        const world = await Fleet.start(agents);
        await world.pass(60);
        await world.begin(scenario);
        await world.pass(10);
        for (let at = 0; at < agents; at++) await world.restart(at);
        await world.pass(minutes);
        expect(world.firing).toEqual([alert]);
        if (PROMTOOL !== undefined) expect(world.differences(PROMTOOL)).toBe("");
      });
    }
  }
});
