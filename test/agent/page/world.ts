import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TargetFacts } from "../../../src/agent/controls.js";
import { type AgentEvent, EventStream } from "../../../src/agent/events.js";
import { Health } from "../../../src/agent/health.js";
import { type AgentServer, serveAgent } from "../../../src/agent/http.js";
import type { RequestedVisit } from "../../../src/agent/page/controls.js";
import { openWeb, type Web, type WebOptions } from "../../../src/agent/page/open.js";
import type { PeopleSettings } from "../../../src/agent/page/people.js";
import { recordEvents } from "../../../src/agent/record-events.js";
import { Recorder } from "../../../src/agent/recorder.js";
import type { RolloutStatus } from "../../../src/agent/rollouts.js";
import { openStore } from "../../../src/agent/store/open.js";
import type { Store } from "../../../src/agent/store/store.js";
import { Lazy } from "../../../src/core/lazy.js";
import { SecretValue } from "../../../src/core/secret.js";
import type { ActiveRuns } from "../../../src/engine/active-runs.js";
import type { Allowance } from "../../../src/engine/allowance.js";
import { FakeClock } from "../fake-clock.js";
import { AUDIT_OUTCOMES, COMMIT, COMMIT_FACTS, FLEET, fillStore, NOW, RULE_ENDS } from "./sample.js";

export const TOKEN = "a-token-for-tests-0123456789";

export interface PageWorldOptions {
  /** The shared token; empty for none. */
  readonly token?: string | undefined;
  readonly people?: Partial<PeopleSettings>;
  readonly provider?: WebOptions["provider"];
  readonly targets?: ReadonlyMap<string, TargetFacts>;
  /** Name of the repository. */
  readonly source?: string;
  readonly fill?: (store: Store) => Promise<void>;
  readonly names?: readonly string[];
  readonly trustProxy?: readonly string[];
  /** A free port by default. */
  readonly port?: number;
  readonly rollout?: RolloutStatus;
  readonly answerAccess?: WebOptions["controls"]["answerAccess"];
  /** The store of another world, which closes it. */
  readonly sharedStore?: Store;
}

const openIn = (folder: string): Promise<Store> => openStore({ kind: "sqlite", file: join(folder, "plumbline.db") }, { readOnly: false });

/** The files of a store after `fillStore`, by name: each row is synced to the disk, which takes longer than most tests of the page. */
const filled = new Lazy(async () => {
  const folder = mkdtempSync(join(tmpdir(), "page-filled-"));
  try {
    const store = await openIn(folder);
    await fillStore(store);
    await store.close();
    return readdirSync(folder).map((name) => [name, readFileSync(join(folder, name))] as const);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

/** A page on a store that a sample fills. Its agent only records the requests that it gets. */
export class PageWorld {
  readonly asked: { readonly target: string; readonly wish: RequestedVisit }[] = [];
  /** Overrides that people gave. */
  readonly allowed: Allowance[] = [];
  /** Runs that the next pause meets. */
  readonly atWork: ActiveRuns[] = [];
  readonly faults: unknown[] = [];
  /** Events that were reported. */
  readonly told: AgentEvent[] = [];
  readonly events: EventStream;
  readonly store: Store;
  readonly web: Web;
  readonly server: AgentServer;
  readonly #folder: string;
  readonly #clock: { now: number };
  readonly #closeStore: () => Promise<void>;

  private constructor(
    parts: Pick<PageWorld, "store" | "web" | "server" | "events" | "asked" | "allowed" | "atWork" | "faults" | "told">,
    folder: string,
    clock: { now: number },
    closeStore: () => Promise<void>,
  ) {
    Object.assign(this, parts);
    ({ store: this.store, web: this.web, server: this.server, events: this.events } = parts);
    this.#folder = folder;
    this.#clock = clock;
    this.#closeStore = closeStore;
  }

  static async start({
    token = TOKEN,
    people = {},
    provider,
    targets = FLEET,
    fill = fillStore,
    names,
    trustProxy,
    source = "https://github.com/example/network.git",
    port = 0,
    sharedStore,
    rollout,
    answerAccess = async () => {
      throw new Error("no answer");
    },
  }: PageWorldOptions = {}): Promise<PageWorld> {
    const folder = mkdtempSync(join(tmpdir(), "page-"));
    if (fill === fillStore) for (const [name, content] of await filled.get()) writeFileSync(join(folder, name), content);
    const store = sharedStore ?? (await openIn(folder));
    if (fill !== fillStore) await fill(store);
    const clock = { now: NOW };
    const asked: PageWorld["asked"] = [];
    const allowed: Allowance[] = [];
    const atWork: ActiveRuns[] = [];
    const faults: unknown[] = [];
    const events = new EventStream(
      () => clock.now,
      (error) => faults.push(error),
    );
    const web = openWeb({
      store,
      controls: {
        targets: () => targets,
        commit: () => COMMIT,
        describe: async (commit) => (commit === COMMIT ? COMMIT_FACTS : undefined),
        source,
        folder: () => "desired-state",
        pauses: () => store.pauses.active(clock.now),
        rollout: async () => rollout,
        ruleEnds: (target) => (target === "ams-edge-a" ? RULE_ENDS : []),
        unanswered: async () => new Map([["fra-edge-a", { visits: 2, since: NOW, next: NOW }]]),
        pause: async (pause) => {
          await store.pauses.pause(pause);
          await events.emit({ type: "paused", pause });
          return atWork.splice(0);
        },
        resume: async (target, by) => {
          const found = await store.pauses.resume(target, by, clock.now);
          if (found) await events.emit({ type: "resumed", target, why: "command" });
          return found;
        },
        approve: async (approval) => await store.approvals.approve(approval),
        allow: async (allowance) => void allowed.push(allowance),
        visit: async (target, wish) => void asked.push({ target, wish }),
        hasDesigns: (kind) => kind === "panos",
        answerAccess,
        hasAudit: () => true,
        audit: async () => AUDIT_OUTCOMES,
      },
      people: {
        word: token === "" ? undefined : new SecretValue(token, "${env:PLUMBLINE_PAGE_TOKEN}"),
        tokens: [],
        rights: [],
        ...people,
      },
      provider,
      sessionKey: Buffer.alloc(32, 7),
      now: () => clock.now,
      monotonic: () => clock.now,
      emit: (happening) => events.emit(happening),
      onFault: (error) => faults.push(error),
    });
    const told: AgentEvent[] = [];
    events.listen((event) => void told.push(event));
    events.listen((event) => web.listen(event));
    events.listen(recordEvents(new Recorder(store, events), "sample"));
    const health = new Health(new FakeClock());
    const server = await serveAgent({
      host: "127.0.0.1",
      port,
      names,
      trustProxy,
      health,
      gate: undefined,
      onPush: () => undefined,
      pages: new Map([["/metrics", () => ({ type: "text/plain; version=0.0.4", text: "up 1\n" })]]),
      web,
    });
    const closeStore = async () => (sharedStore === undefined ? await store.close() : undefined);
    return new PageWorld({ store, web, server, events, asked, allowed, atWork, faults, told }, folder, clock, closeStore);
  }

  get url(): string {
    return `${this.server.url}/`;
  }

  get now(): number {
    return this.#clock.now;
  }

  advance(milliseconds: number): void {
    this.#clock.now += milliseconds;
  }

  /** A pass without changes, or a failed one. */
  async endPass(target: string, result: "in-sync" | "failed"): Promise<void> {
    const facts = { pass: 1, target, trigger: "timer", commit: COMMIT } as const;
    await this.events.emit({ type: "pass-ended", ...facts, result, milliseconds: 900, outcome: undefined, drift: [] });
  }

  async close(): Promise<void> {
    this.web.close();
    await this.server.close();
    await this.#closeStore();
    rmSync(this.#folder, { recursive: true, force: true });
    if (this.faults.length > 0) throw new AggregateError(this.faults, "unforeseen");
  }
}
