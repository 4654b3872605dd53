import { join } from "node:path";
import { PlumblineError, PlumblineErrors } from "../../src/core/errors.js";
import type { Path } from "../../src/core/tree/path.js";
import type { TargetConfiguration } from "../../src/desired/configuration/configuration.js";
import type { DesiredKind } from "../../src/desired/kind.js";
import type { Machine as PassMachine } from "../../src/engine/pass/machine.js";
import type { PassOptions, WriteOptions, Writers } from "../../src/engine/pass/options.js";
import type { ProbeNetwork } from "../../src/engine/watch/probe-network.js";
import { openstackKind } from "../../src/targets/openstack/kind.js";
import { panosKind } from "../../src/targets/panos/kind.js";
import { passOptions } from "../pass-options.js";
import { Chance } from "./chance.js";
import { Cloud } from "./cloud.js";
import { cloudConfiguration, cloudConnections, cloudDocument } from "./cloud-documents.js";
import { configuration, configurationWith, document, OUR_ADMIN } from "./documents.js";
import { Firewall } from "./firewall.js";
import { FirewallTarget } from "./firewall-target.js";
import { ManagerLab } from "./manager.js";
import { managerConfiguration, managerConnections, managerDocuments } from "./manager-documents.js";
import { type MemoryStore, SECOND_AGENT } from "./memory-store.js";
import { emptyFileSystem, ROOT } from "./models/file-system.js";
import { emptyRepositories, gitIn, makeRepository } from "./models/git.js";
import type { Repository } from "./models/repository.js";
import { placeDocument, withRules } from "./rules.js";
import { setRunning } from "./running.js";
import { type Process, Scheduler } from "./scheduler.js";
import type { Entries, Machine, Script } from "./script.js";
import { Wire } from "./wire.js";

const LEDGER = `refs/plumbline/${OUR_ADMIN}/edge`;
/** Branch of the second agent. */
export const RELEASE = "release";
export const REMOTE = join(ROOT, "origin.git");
const BASE = Date.UTC(2026, 0, 5, 12);
const KINDS: PassOptions["source"]["kinds"] = new Map<string, DesiredKind>([
  ["panos", panosKind],
  ["openstack", openstackKind],
]);

/** The result of a command of Plumbline, as its user saw it. */
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

/** A report of the agent about a pass, or about the reason for none. */
export interface Said {
  readonly at: number;
  readonly what: string;
  /** Of a pass: its start and its commit. */
  readonly began?: number;
  readonly commit?: string | undefined;
  readonly result?: string;
  readonly message: string;
  readonly warnings?: readonly string[];
}

export interface Paused {
  readonly from: number;
  until: number;
}

/** One history: machines with processes, a repository, a firewall and people. */
export class World {
  readonly script: Script;
  readonly scheduler: Scheduler;
  readonly firewall: Firewall;
  /** The device to which the target leads during `moves`. */
  readonly otherDevice: Firewall | undefined;
  readonly moves: { readonly from: number; until: number }[] = [];
  readonly wire: Wire;
  /** If the target is a manager, not the firewall. */
  readonly cloud: Cloud | undefined;
  readonly manager: ManagerLab | undefined;
  readonly memory: MemoryStore;
  readonly chance: Chance;
  readonly journal: string[] = [];
  readonly ended: Ended[] = [];
  readonly said: Said[] = [];
  readonly saidBySecond: (Said & { readonly process: string })[] = [];
  /** The desired state of each commit that was ever pushed. */
  readonly wanted = new Map<string, Entries>();
  /** Addresses that each commit declares in its main document. */
  readonly #declared = new Map<string, Entries>();
  /** Unexpected errors. */
  readonly faults: unknown[] = [];
  /** Names that the agent reported as changed by others, with times. */
  readonly told: { readonly at: number; readonly name: string | undefined }[] = [];
  /** Times at which a pause was confirmed. */
  readonly pauses: Paused[] = [];
  /** When the repository could not be reached. */
  readonly gitAway: { readonly from: number; until: number }[] = [];
  probeAwayUntil = 0;
  agent: Process | undefined;
  secondAgent: Process | undefined;
  /** Times whose changes are missing in a ledger that was restored from a backup. */
  readonly restored: { readonly from: number; readonly until: number }[] = [];
  readonly stalls: { readonly source: string; readonly from: number; readonly until: number }[] = [];
  /** When a process was killed, by its name. */
  readonly killed = new Map<string, number>();
  readonly #remote: Repository;
  readonly #runs = new Set<Process>();
  readonly #processes: Process[] = [];
  #pids = 100;
  #backup: { readonly ledger: string | undefined; readonly at: number } | undefined;

  constructor(script: Script, memory: MemoryStore) {
    const { seed, theirs, entries } = script;
    this.script = script;
    this.memory = memory;
    this.chance = new Chance(seed, "system");
    this.scheduler = new Scheduler(new Chance(seed, "order"));
    const onTheWay = new Chance(seed, "git");
    setRunning({
      scheduler: this.scheduler,
      random: (bytes) => this.chance.hexadecimal(bytes * 2),
      isRemoteReachable: () => this.gitAway.every(({ until }) => this.scheduler.now >= until),
      delayToRemote: () => (onTheWay.isLikely(0.05) ? 500 + onTheWay.next() * 3000 : 10 + onTheWay.next() * 80),
    });
    this.firewall = new Firewall(configurationWith(theirs, script.rules), script, this.scheduler);
    const { elsewhere } = script;
    if (elsewhere !== undefined)
      this.otherDevice = new Firewall(configurationWith(elsewhere, script.rules), script, this.scheduler, "0002");
    this.wire = new Wire({
      scheduler: this.scheduler,
      chance: new Chance(seed, "wire"),
      isDown: () => this.connected.isDown,
      onceCommitted: (happen) => this.firewall.onceCommitted(OUR_ADMIN, happen),
    });
    this.cloud = script.isCloud ? new Cloud(this.wire, this.scheduler, new Chance(seed, "cloud"), BASE) : undefined;
    this.manager = this.#managerOf(script);
    emptyFileSystem();
    emptyRepositories();
    memory.empty();
    this.#remote = makeRepository(REMOTE, true);
    for (const machine of ["hand", "ci"] as const) makeRepository(checkoutOf(machine), false).remotes.set("origin", REMOTE);
    this.push(entries, false);
  }

  /** The device to which the address of the target leads now. */
  get connected(): Firewall {
    const { now } = this.scheduler;
    const isMoved = this.moves.some(({ from, until }) => now >= from && now < until);
    return isMoved ? (this.otherDevice ?? this.firewall) : this.firewall;
  }

  #managerOf({ manager, ...script }: Script): ManagerLab | undefined {
    if (manager === undefined) return undefined;
    const { wire, scheduler } = this;
    const parts = { wire, scheduler, chance: new Chance(script.seed, "manager"), start: BASE };
    const kill = (source: string) => (source === "nobody" ? this.killRuns() : this.killProcess(source));
    return new ManagerLab({ ...script, manager }, parts, { kill, note: (words) => this.note(words) });
  }

  /** Of the branch. */
  get head(): string {
    return this.#remote.headCommit ?? "";
  }

  /** Addresses that the commit before the last one declares. */
  get wantedBefore(): Entries {
    const parent = this.#remote.commitAt("HEAD")?.parents[0];
    return this.#declared.get(parent ?? this.head) ?? {};
  }

  push(entries: Entries, isProbed: boolean, isGuarded = false): void {
    const before = this.#remote.headCommit;
    const files = this.#filesOf(entries, isProbed, isGuarded);
    const second = Math.floor(this.scheduler.now / 1000);
    const parents = before === undefined ? [] : [before];
    const message = `commit ${this.wanted.size + 1}`;
    const commit = this.#remote.addCommit(this.#remote.addFiles(files), parents, "Ann <ann@example.com>", message, second);
    this.#remote.refs.set("refs/heads/main", commit);
    this.#declared.set(commit, entries);
    this.wanted.set(commit, withRules(entries, this.script.rules));
    this.note(`push ${commit.slice(0, 7)} ${JSON.stringify(entries)}${isProbed ? " probed" : ""}${isGuarded ? " guarded" : ""}`);
  }

  #filesOf(entries: Entries, isProbed: boolean, isGuarded: boolean): Record<string, string> {
    const { script } = this;
    if (script.manager !== undefined)
      return { "plumbline.yaml": managerConfiguration(script, script.manager), ...managerDocuments(entries, isProbed) };
    return {
      "plumbline.yaml": script.isCloud ? cloudConfiguration(script) : configuration(script, isGuarded),
      "edge/objects.yaml": script.isCloud ? cloudDocument(entries) : document(entries, isProbed, script.rules),
      ...(script.rules?.hasPlace === true ? { "edge/place.yaml": placeDocument(entries) } : {}),
    };
  }

  note(text: string): void {
    this.journal.push(`${this.scheduler.now.toFixed(3)} ${text}`);
  }

  say(said: Said): void {
    this.said.push(said);
    this.note(`agent: ${said.what} ${said.result ?? ""} ${said.message}`);
  }

  /** Names that the agent reports as changed by others. */
  tell(path: Path): void {
    const name = path.steps().findLast((step) => step.name !== undefined)?.name;
    this.told.push({ at: this.scheduler.now, name });
    this.note(`agent: drift of ${name}`);
  }

  end(end: Omit<Ended, "ended">): void {
    this.ended.push({ ...end, ended: this.scheduler.now });
    this.note(`${end.process} ends with ${end.code} ${end.error ?? ""} ${end.message}`);
  }

  unforeseen(process: Process, error: unknown): void {
    this.note(`${process.name}: unforeseen ${error instanceof Error ? error.stack : String(error)}`);
    this.faults.push(error);
  }

  /** A new process on a host. It does everything from here to the next event. */
  begin(name: string, host: string): Process {
    this.#pids += 1;
    const process = { name: `${name}-${this.#pids}`, host, pid: this.#pids, isAlive: true };
    this.#processes.push(process);
    this.note(`${process.name} starts on ${host}`);
    this.scheduler.as(process);
    return process;
  }

  /** A command that a person starts. */
  spawn(name: string, on: Machine, work: (process: Process) => Promise<void>): void {
    const process = this.begin(name, on);
    this.#runs.add(process);
    void work(process)
      .catch((error: unknown) => {
        if (!isForeseen(error)) this.unforeseen(process, error);
        else this.note(`${process.name} failed: ${error instanceof Error ? error.message : String(error)}`);
      })
      .finally(() => {
        process.isAlive = false;
      });
  }

  isRunning(name: string): boolean {
    return [...this.#runs].some((process) => process.isAlive && process.name.startsWith(name));
  }

  killRuns(): void {
    for (const process of this.#runs) this.#kill(process);
  }

  killProcess(name: string): void {
    for (const process of this.#processes) if (process.name === name) this.#kill(process);
  }

  /** A backup of the git remote copies the ledger. */
  backUpLedger(): void {
    this.#backup = { ledger: this.#remote.refs.get(LEDGER), at: this.scheduler.now };
  }

  /** The ledger of the backup replaces the newer one. */
  restoreLedger(): void {
    if (this.#backup?.ledger === undefined) return;
    this.#remote.refs.set(LEDGER, this.#backup.ledger);
    this.restored.push({ from: this.#backup.at, until: this.scheduler.now });
  }

  /** The machine whose process sends the next write is suspended from then on. */
  stallAtWrite(on: Machine, milliseconds: number): void {
    this.wire.beforeNextWrite.set(on, (process) => {
      const from = this.scheduler.now;
      process.stalledUntil = from + milliseconds;
      this.stalls.push({ source: process.name, from, until: process.stalledUntil });
      this.note(`${process.name} stands still`);
    });
  }

  /** The branch of the second agent gets the current commit. */
  release(): void {
    this.#remote.refs.set(`refs/heads/${RELEASE}`, this.head);
  }

  killSecondAgent(): void {
    if (this.secondAgent !== undefined) this.#kill(this.secondAgent);
    this.secondAgent = undefined;
  }

  killAgent(): void {
    if (this.agent !== undefined) this.#kill(this.agent);
    this.agent = undefined;
  }

  #kill(process: Process): void {
    if (!process.isAlive) return;
    process.isAlive = false;
    this.killed.set(process.name, this.scheduler.now);
    this.note(`${process.name} is killed`);
  }

  machineOf(process: Process, on: Machine | "agent" | typeof SECOND_AGENT): PassMachine {
    const { host, pid } = process;
    return {
      now: () => BASE + this.scheduler.now + this.script.skew[on === SECOND_AGENT ? "agent" : on],
      monotonic: () => this.scheduler.now,
      host,
      pid,
      isAlive: (asked) => this.#processes.some((each) => each.pid === asked && each.host === host && each.isAlive),
      random: () => this.chance.hexadecimal(8),
    };
  }

  passOptions(process: Process, on: Machine | "agent" | typeof SECOND_AGENT): PassOptions {
    return passOptions({
      configurationFile: join(ROOT, on, "checkout", "plumbline.yaml"),
      stateFolder: join(ROOT, on, "state"),
      kinds: KINDS,
      environment: { PW: "secret" },
      machine: this.machineOf(process, on),
      targets: [],
      storeLedgers: {
        isShared: async () => this.script.ledger === "store",
        open: async () => this.memory.of(process).ledgers,
      },
    });
  }

  writeOptions(): WriteOptions {
    return { takeover: false, lockTimeout: 0, sleep: (milliseconds) => this.scheduler.wait(milliseconds), network: this.#network };
  }

  get writers(): Writers {
    const { cloud, manager, scheduler } = this;
    if (manager !== undefined) return managerConnections(manager, scheduler, this.chance);
    if (cloud !== undefined) return cloudConnections(cloud, scheduler, this.chance);
    return {
      reader: (configuration: TargetConfiguration) => this.#connect(configuration),
      writer: (configuration: TargetConfiguration) => this.#connect(configuration),
      guards: () => ({ management: () => undefined, meaning: () => undefined, neverPruned: () => false }),
    };
  }

  #connect({ name }: TargetConfiguration): FirewallTarget {
    return new FirewallTarget(name, () => this.connected, this.wire, this.scheduler, OUR_ADMIN);
  }

  /** The address of probes. */
  readonly #network: ProbeNetwork = {
    tcp: async () => {
      await this.scheduler.wait(50);
      if (this.scheduler.now < this.probeAwayUntil) throw new Error("refused");
    },
    http: async () => 200,
    dns: async () => [],
  };
}

function isForeseen(error: unknown): boolean {
  return error instanceof PlumblineError || error instanceof PlumblineErrors;
}

export function checkoutOf(machine: Machine): string {
  return join(ROOT, machine, "checkout");
}

/** Brings a checkout up to date, if it can. */
export async function pull(folder: string): Promise<void> {
  const git = gitIn(folder);
  const fetched = await git(["fetch", "--quiet", "origin", "+refs/heads/main:refs/remotes/origin/main"]);
  if (fetched.code === 0) await git(["checkout", "--quiet", "refs/remotes/origin/main"]);
}
