import { dirname, join } from "node:path";
import type { AgentClock } from "../../src/agent/clock.js";
import { type OpenAgent, openAgent } from "../../src/agent/open.js";
import type { Store } from "../../src/agent/store/store.js";
import { PlumblineError, PlumblineErrors } from "../../src/core/errors.js";
import { cloneTree } from "../../src/core/tree/edit.js";
import { TreeNode } from "../../src/core/tree/node.js";
import { parsePath } from "../../src/core/tree/xpath.js";
import { parseXml } from "../../src/core/tree/xml/parse.js";
import { readAgent } from "../../src/desired/configuration/agent.js";
import type { TargetConfiguration } from "../../src/desired/configuration.js";
import { readCheckout } from "../../src/engine/checkout.js";
import { openLedgerStore } from "../../src/engine/ledger/open.js";
import { NoticeBoard } from "../../src/engine/notices.js";
import { type PassOptions, type WriteOptions, type Writers, withoutFlags } from "../../src/engine/pass/options.js";
import type { Machine as PassMachine } from "../../src/engine/pass/process.js";
import { driftTargets, planTargets, reconcileTargets } from "../../src/engine/reconcile.js";
import { waitForRuns } from "../../src/engine/runs-at-work.js";
import type { ProbeNetwork } from "../../src/engine/watch/probe-network.js";
import { exitCode, type TargetOutcome } from "../../src/outcome/outcome.js";
import { panosKind } from "../../src/targets/panos/kind.js";
import { Chance } from "./chance.js";
import { Firewall } from "./firewall.js";
import { FirewallTarget } from "./firewall-target.js";
import type { MemoryStore } from "./memory-store.js";
import { atOnce, emptyFileSystem, ROOT } from "./models/file-system.js";
import { emptyRepositories, gitIn, makeRepository, repositoryAt } from "./models/git.js";
import type { Repository } from "./models/repository.js";
import { setRunning } from "./running.js";
import { type Process, Scheduler } from "./scheduler.js";
import type { Entries, Machine, Script } from "./script.js";
import { Wire } from "./wire.js";

export const OUR_ADMIN = "netops";
const BASE = Date.UTC(2026, 0, 5, 12);
const REMOTE = join(ROOT, "origin.git");
const KINDS = new Map([["panos", panosKind]]);
const LIST = parsePath("/config/devices/entry[@name='localhost.localdomain']/vsys/entry[@name='vsys1']/address");

/** What a command of ours came to, as whoever started it saw it. */
export interface Ended {
  readonly process: string;
  readonly what: "reconcile" | "plan" | "drift" | "pause" | "resume";
  readonly began: number;
  readonly ended: number;
  readonly code: number;
  /** The commit that it went by. */
  readonly commit: string | undefined;
  readonly error: string | undefined;
  readonly message: string;
  readonly warnings: readonly string[];
}

/** What the agent said of a pass, or of what holds it. */
export interface Said {
  readonly at: number;
  readonly what: string;
  /** Of a pass: when it began, and the commit that it went by. */
  readonly began?: number;
  readonly commit?: string | undefined;
  readonly result?: string;
  readonly message: string;
}

/** One history: machines, a repository, a firewall, people. */
export class World {
  readonly script: Script;
  readonly scheduler: Scheduler;
  readonly firewall: Firewall;
  readonly wire: Wire;
  readonly journal: string[] = [];
  readonly ended: Ended[] = [];
  readonly said: Said[] = [];
  /** What each commit wants, and those that were ever pushed. */
  readonly wanted = new Map<string, Entries>();
  readonly faults: unknown[] = [];
  /** From when to when a pause was said to hold. */
  readonly pauses: { readonly from: number; until: number }[] = [];
  gitAwayUntil = 0;
  probeAwayUntil = 0;
  agent: { readonly process: Process; readonly open: OpenAgent } | undefined;
  readonly #remote: Repository;
  readonly #memory: MemoryStore;
  readonly #chance: Chance;
  readonly #runs = new Set<Process>();
  readonly #processes: Process[] = [];
  #pids = 100;
  #commits = 0;

  constructor(script: Script, memory: MemoryStore) {
    this.script = script;
    this.#memory = memory;
    const { seed } = script;
    this.#chance = new Chance(seed, "system");
    this.scheduler = new Scheduler(new Chance(seed, "order"));
    const wireChance = new Chance(seed, "wire");
    const gitChance = new Chance(seed, "git");
    setRunning({
      scheduler: this.scheduler,
      random: (bytes) => this.#chance.hexadecimal(bytes * 2),
      isRemoteReachable: () => this.scheduler.now >= this.gitAwayUntil,
      delayToRemote: () => (gitChance.isLikely(0.05) ? 500 + gitChance.next() * 3000 : 10 + gitChance.next() * 80),
    });
    const now = () => this.scheduler.now;
    this.firewall = new Firewall(configurationWith(script.theirs), script, now, (wait, happen) => this.scheduler.in(wait, happen));
    this.wire = new Wire({ scheduler: this.scheduler, chance: wireChance, isDown: () => this.firewall.isDown });
    emptyFileSystem();
    emptyRepositories();
    memory.empty();
    this.#remote = makeRepository(REMOTE, true);
    for (const machine of ["hand", "ci"]) {
      makeRepository(join(ROOT, machine, "checkout"), false).remotes.set("origin", REMOTE);
    }
    this.push(script.entries, false);
  }

  /** Of the branch. */
  get head(): string {
    return this.#remote.headCommit ?? "";
  }

  /** The files of the repository, and the commit before it. */
  push(entries: Entries, isProbed: boolean): void {
    const before = this.#remote.headCommit;
    const files = { "plumbline.yaml": configuration(this.script), "edge/objects.yaml": document(entries, isProbed) };
    const tree = this.#remote.addFiles(files);
    const second = Math.floor(this.scheduler.now / 1000);
    this.#commits += 1;
    const message = `commit ${this.#commits}`;
    const commit = this.#remote.addCommit(tree, before === undefined ? [] : [before], "Ann <ann@example.com>", message, second);
    this.#remote.refs.set("refs/heads/main", commit);
    this.wanted.set(commit, entries);
    this.note(`push ${short(commit)} ${JSON.stringify(entries)}${isProbed ? " probed" : ""}`);
  }

  /** What the commit before the last one wanted. */
  get wantedBefore(): Entries {
    const parent = this.#remote.commitAt("HEAD")?.parents[0];
    return this.wanted.get(parent ?? this.head) ?? {};
  }

  note(text: string): void {
    this.journal.push(`${this.scheduler.now.toFixed(3)} ${text}`);
  }

  /** Somebody else's change; without a value the entry goes. */
  meddle(name: string, value: string | undefined): void {
    const at = LIST.entry(name);
    const element = new TreeNode("entry", name, "", [new TreeNode("ip-netmask", undefined, value ?? "")]);
    const sender = { admin: "alice", source: "alice", isLate: false };
    this.firewall.write(sender, [value === undefined ? { action: "delete", at } : { action: "edit", at, element }]);
  }

  /** Begins a command on a machine: the checkout is brought up to date first where that is asked for, and can be done. */
  start(what: "reconcile" | "plan" | "drift", on: Machine, pull: boolean, write: Partial<WriteOptions> = {}): void {
    this.#spawn(what, on, async (process) => {
      const folder = join(ROOT, on, "checkout");
      if (pull || !atOnce.exists(join(folder, "plumbline.yaml"))) await this.#pull(folder);
      const began = this.scheduler.now;
      const pass = this.#passOptions(process, on);
      const commit = repositoryOf(folder).headCommit;
      const [outcome] =
        what === "reconcile"
          ? await reconcileTargets(pass, { ...this.#writeOptions(), ...write }, this.#writers)
          : await (what === "plan" ? planTargets : driftTargets)(pass, this.#writers);
      if (outcome === undefined) throw new Error("no outcome");
      this.#end({ ...endOf(outcome), process: process.name, what, began, commit });
    });
  }

  /** `plumbline pause edge`, or `resume`. */
  pause(what: "pause" | "resume", on: Machine): void {
    this.#spawn(what, on, async (process) => {
      const began = this.scheduler.now;
      const folder = join(ROOT, on, "checkout");
      await this.#pull(folder);
      const place = openLedgerStore(this.script.ledger === "git" ? undefined : "store", await readCheckout(folder), join(ROOT, on, "state"));
      const board = new NoticeBoard(place, OUR_ADMIN);
      if (what === "resume") {
        for (const pause of this.pauses) pause.until = Math.min(pause.until, this.scheduler.now);
        await board.resume("edge");
        this.#end({ process: process.name, what, began, commit: undefined, code: 0, error: undefined, message: "", warnings: [] });
        return;
      }
      await board.pause({ target: "edge", reason: "work", by: "ann", since: this.#machineOf(process, on).now(), until: undefined });
      const asked = this.scheduler.now;
      const left = await waitForRuns([TARGET], {
        connect: this.#writers.reader,
        machine: this.#machineOf(process, on),
        sleep: (milliseconds) => this.scheduler.wait(milliseconds),
        wait: 120_000,
        tell: () => undefined,
      });
      const isResumed = this.ended.some((end) => end.what === "resume" && end.began >= asked) || this.#isResuming;
      if (left.length === 0 && !isResumed) this.pauses.push({ from: this.scheduler.now, until: Number.POSITIVE_INFINITY });
      const said = left.map(({ runs, unknown }) => unknown ?? runs?.join(" ")).join("; ");
      const code = left.length === 0 ? 0 : 4;
      this.#end({ process: process.name, what, began, commit: undefined, code, error: undefined, message: said, warnings: [] });
    });
  }

  /** A resume is under way: who paused at the same time cannot say what holds. */
  get #isResuming(): boolean {
    return [...this.#runs].some(({ name, isAlive }) => isAlive && name.startsWith("resume"));
  }

  killRuns(): void {
    for (const process of this.#runs) this.#kill(process);
  }

  killAgent(): void {
    if (this.agent !== undefined) this.#kill(this.agent.process);
    this.agent = undefined;
  }

  get isBusy(): boolean {
    return [...this.#runs].some(({ isAlive }) => isAlive);
  }

  /** The agent's state folder and its store are lost. */
  loseState(): void {
    this.killAgent();
    atOnce.remove(join(ROOT, "agent"));
    this.#memory.empty();
  }

  startAgent(): void {
    if (this.agent?.process.isAlive === true) return;
    const process = this.#process("agent", "agents");
    this.scheduler.as(process);
    void this.#runAgent(process).catch((error: unknown) => this.#unforeseen(process, error));
  }

  async #runAgent(process: Process): Promise<void> {
    const stop = new AbortController();
    const store: Store = this.#memory.of(process);
    const clock = this.#agentClock();
    await store.claim({ host: process.host, pid: process.pid, started: clock.now(), version: "0" }, clock.now());
    const open = await openAgent({
      settings: readAgent({ source: { url: REMOTE, branch: "main" }, http: { port: 0 } }, ROOT),
      fixed: {},
      configurationFile: undefined,
      store,
      pass: { ...this.#passOptions(process, "agent"), targets: undefined, configurationFile: undefined } as never,
      write: this.#writeOptions(),
      writers: this.#writers,
      clock,
      stop: stop.signal,
      onFault: (error) => this.#unforeseen(process, error),
    });
    this.agent = { process, open };
    let began = this.scheduler.now;
    open.events.listen((event) => {
      const at = this.scheduler.now;
      if (event.type === "pass-started") began = at;
      if (event.type === "pass-ended") {
        const { result, outcome, commit } = event;
        this.#say({ at, what: event.type, began, commit, result, message: outcome.error?.code ?? "" });
      } else if (event.type === "held") this.#say({ at, what: "held", result: event.reason, message: event.message });
      else if (event.type === "apply-failed" || event.type === "plan-refused")
        this.#say({ at, what: event.type, result: event.error.code, message: event.error.message });
      else if (event.type === "released") this.#say({ at, what: "released", message: event.reason });
    });
    await open.agent.run(stop.signal);
  }

  #say(said: Said): void {
    this.said.push(said);
    this.note(`agent: ${said.what} ${said.result ?? ""} ${said.message}`);
  }

  #unforeseen(process: Process, error: unknown): void {
    this.note(`${process.name}: unforeseen ${error instanceof Error ? error.stack : String(error)}`);
    this.faults.push(error);
  }

  #process(name: string, host: string): Process {
    this.#pids += 1;
    const process = { name: `${name}-${this.#pids}`, host, pid: this.#pids, isAlive: true };
    this.#processes.push(process);
    this.note(`${process.name} starts on ${host}`);
    return process;
  }

  #spawn(name: string, on: Machine, work: (process: Process) => Promise<void>): void {
    const process = this.#process(name, on);
    this.#runs.add(process);
    this.scheduler.as(process);
    void work(process)
      .catch((error: unknown) => {
        if (!isForeseen(error)) this.#unforeseen(process, error);
        else this.note(`${process.name} failed: ${error instanceof Error ? error.message : String(error)}`);
      })
      .finally(() => {
        process.isAlive = false;
      });
  }

  #kill(process: Process): void {
    if (!process.isAlive) return;
    process.isAlive = false;
    this.note(`${process.name} is killed`);
  }

  #end(end: Omit<Ended, "ended">): void {
    this.ended.push({ ...end, ended: this.scheduler.now });
    this.note(`${end.process} ends with ${end.code} ${end.error ?? ""} ${end.message}`);
  }

  async #pull(folder: string): Promise<void> {
    const git = gitIn(folder);
    const fetched = await git(["fetch", "--quiet", "origin", "+refs/heads/main:refs/remotes/origin/main"]);
    if (fetched.code === 0) await git(["checkout", "--quiet", "refs/remotes/origin/main"]);
  }

  #machineOf(process: Process, on: Machine | "agent"): PassMachine {
    return {
      now: () => BASE + this.scheduler.now + this.script.skew[on],
      host: process.host,
      pid: process.pid,
      isAlive: (pid) => this.#processes.some((each) => each.pid === pid && each.host === process.host && each.isAlive),
      random: () => this.#chance.hexadecimal(8),
    };
  }

  #agentClock(): AgentClock {
    return {
      now: () => BASE + this.scheduler.now + this.script.skew.agent,
      monotonic: () => this.scheduler.now,
      random: () => this.#chance.next(),
      sleep: async (milliseconds, stop) => {
        await Promise.race([
          this.scheduler.wait(milliseconds),
          new Promise<void>((done) => {
            if (stop.aborted) done();
            else stop.addEventListener("abort", () => done(), { once: true });
          }),
        ]);
      },
    };
  }

  #passOptions(process: Process, on: Machine | "agent"): PassOptions {
    const { ledger } = this.script;
    return {
      ...withoutFlags,
      configurationFile: join(ROOT, on, "checkout", "plumbline.yaml"),
      stateFolder: join(ROOT, on, "state"),
      kinds: KINDS,
      environment: { PW: "secret" },
      machine: this.#machineOf(process, on),
      targets: [],
      storeLedgers: {
        isShared: async () => ledger === "store",
        open: async () => this.#memory.of(process).ledgers,
      },
    };
  }

  #writeOptions(): WriteOptions {
    return { takeover: false, lockTimeout: 0, sleep: (milliseconds) => this.scheduler.wait(milliseconds), network: this.#network };
  }

  get #network(): ProbeNetwork {
    const reach = async (): Promise<void> => {
      await this.scheduler.wait(50);
      if (this.scheduler.now < this.probeAwayUntil) throw new Error("refused");
    };
    return {
      tcp: reach,
      http: async () => {
        await reach();
        return 200;
      },
      dns: async () => [],
    };
  }

  readonly #writers: Writers = {
    reader: (configuration: TargetConfiguration) => this.#connect(configuration),
    writer: (configuration: TargetConfiguration) => this.#connect(configuration),
    guards: () => ({ management: () => undefined, meaning: () => undefined, neverPruned: () => false }),
  };

  #connect({ name }: TargetConfiguration): FirewallTarget {
    return new FirewallTarget(name, this.firewall, this.wire, this.scheduler, OUR_ADMIN);
  }
}

function isForeseen(error: unknown): boolean {
  return error instanceof PlumblineError || error instanceof PlumblineErrors;
}

const TARGET = { name: "edge", kind: "panos" } as unknown as TargetConfiguration;

function endOf(outcome: TargetOutcome): Pick<Ended, "code" | "error" | "message" | "warnings"> {
  const { error, warnings, plan } = outcome;
  const refusals = plan?.refusals.map(({ guard }) => guard).join(" ") ?? "";
  const message = error === undefined ? refusals : `${refusals} ${error.message}`;
  return { code: exitCode([outcome]), error: error?.code, message, warnings };
}

function repositoryOf(folder: string): Repository {
  const found = repositoryAt(folder);
  if (found === undefined) throw new Error(`no repository in ${folder}`);
  return found;
}

export function short(commit: string | undefined): string {
  return commit?.slice(0, 7) ?? "none";
}

function configurationWith(theirs: Entries): TreeNode {
  const rows = Object.entries(theirs).map(([name, value]) => `<entry name="${name}"><ip-netmask>${value}</ip-netmask></entry>`);
  const vsys = `<vsys><entry name="vsys1"><address>${rows.join("")}</address></entry></vsys>`;
  const device = `<devices><entry name="localhost.localdomain">${vsys}</entry></devices>`;
  return cloneTree(parseXml(Buffer.from(`<config version="11.1.0"><shared/>${device}</config>`)));
}

function configuration({ ledger }: Script): string {
  return [
    "format: 1",
    `owner: ${OUR_ADMIN}`,
    "documents: [edge]",
    ...(ledger === "store" ? ["ledger: store"] : []),
    "targets:",
    `  edge: { kind: panos, url: "https://192.0.2.1", credentials: { username: ${OUR_ADMIN}, password: "\${env:PW}" }, mode: enforce, takeoverAfter: 600 }`,
    "guards: { updates: 100%, deletes: 100%, from: 10, short: 100%, emptyList: allow }",
    "agent: { driftInterval: 60s, source: { interval: 30s } }",
    "",
  ].join("\n");
}

function document(entries: Entries, isProbed: boolean): string {
  const probe = isProbed ? ["probe:", "  - { tcp: { host: 192.0.2.80, port: 443 }, attempts: 1 }"] : [];
  const rows = Object.entries(entries).map(([name, value]) => `    ${name}: { ip-netmask: ${value} }`);
  return ["target: edge", "scope: vsys1", ...probe, "config:", "  address:", ...rows, ""].join("\n");
}

/** Where files of a machine are. */
export function folderOf(machine: Machine): string {
  return dirname(join(ROOT, machine, "checkout"));
}
