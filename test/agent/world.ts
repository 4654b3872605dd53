import { execFileSync } from "node:child_process";
import { getEventListeners } from "node:events";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { AgentEvent, AgentEventType } from "../../src/agent/events.js";
import { type CommitLoader, loadHere } from "../../src/agent/loading/loader.js";
import { type OpenAgent, openAgent } from "../../src/agent/open.js";
import { openStore } from "../../src/agent/store/open.js";
import type { Claim, Store } from "../../src/agent/store/store.js";
import { version } from "../../src/core/version.js";
import { readAgent } from "../../src/desired/configuration/agent.js";
import type { PageText } from "../../src/desired/configuration/page-settings.js";
import type { StepObserver } from "../../src/engine/apply/steps.js";
import { thisMachine } from "../../src/engine/pass/machine.js";
import type { PassOptions, Writers } from "../../src/engine/pass/options.js";
import { reconcileTargets } from "../../src/engine/reconcile.js";
import type { Clock } from "../../src/lab/panos/clock.js";
import type { DeviceOptions } from "../../src/lab/panos/options.js";
import { type RunningDevice, type RunningLab, startLab } from "../../src/lab/panos/start.js";
import type { TargetOutcome } from "../../src/outcome/outcome.js";
import { type PanosDependencies, systemDependencies } from "../../src/targets/panos/dependencies.js";
import { panosKind } from "../../src/targets/panos/kind.js";
import { KnownDevices } from "../../src/targets/panos/known-devices.js";
import { openPanosReader } from "../../src/targets/panos/reader.js";
import type { PanosTargetConfiguration } from "../../src/targets/panos/settings.js";
import { openPanosWriter } from "../../src/targets/panos/writer.js";
import { afterTest } from "../after-test.js";
import { oneCertificate } from "../one-certificate.js";
import { type PassFields, passOptions } from "../pass-options.js";
import { FakeClock } from "./fake-clock.js";

const KINDS = new Map([["panos", panosKind]]);

const ADDRESS = "/config/devices/entry[@name='localhost.localdomain']/vsys/entry[@name='vsys1']/address";
const RUNNING = `<config version="11.1.0"><mgt-config><users><entry name="netops"/></users></mgt-config><shared/><devices><entry name="localhost.localdomain"><deviceconfig><system><hostname>fw</hostname></system></deviceconfig><vsys><entry name="vsys1"><address><entry name="theirs"><ip-netmask>192.0.2.9</ip-netmask></entry></address></entry></vsys></entry></devices></config>`;

export interface AgentWorldOptions {
  readonly targets?: readonly string[];
  /** `agent:` of plumbline.yaml, as YAML lines without indent. */
  readonly agent?: string;
  /** Further keys of each target, as YAML flow. */
  readonly target?: string;
  readonly device?: DeviceOptions;
  /** Devices that are not targets. */
  readonly more?: readonly DeviceOptions[];
  /** Clock of the lab; by default the system clock. */
  readonly labClock?: Clock;
}

type Of<Type extends AgentEventType> = Extract<AgentEvent, { readonly type: Type }>;

/** A bare repository, a person's clone of it, lab firewalls and a watching agent. */
export class AgentWorld {
  readonly clock = new FakeClock();
  readonly folder = mkdtempSync(join(tmpdir(), "agent-world-"));
  readonly lab: RunningLab;
  readonly names: readonly string[];
  readonly events: AgentEvent[] = [];
  /** Unexpected failures: must stay empty. */
  readonly faults: unknown[] = [];
  environment: Record<string, string> = { PATH: process.env.PATH ?? "", HOME: this.folder, PW: "secret" };
  store: Store | undefined;
  readonly #options: AgentWorldOptions;
  #waiting: (() => void)[] = [];
  #moved = 0;
  #stop = new AbortController();
  #claim: Claim | undefined;
  #running: Promise<void> | undefined;
  open: OpenAgent | undefined;
  /** Another address than the repository's. */
  watched: string | undefined;
  /** Changes by others right before a run checks for them the last time before its commit. */
  beforeCommit: (() => Promise<void>) | undefined;
  /** Changes by others right after a commit of Plumbline, before it is read back. */
  afterCommit: (() => Promise<void>) | undefined;
  /** Loads commits. */
  loader: (stop: AbortSignal) => CommitLoader = () => loadHere;
  wrap: (writers: Writers) => Writers = (writers) => writers;

  private constructor(lab: RunningLab, options: AgentWorldOptions) {
    this.lab = lab;
    this.#options = options;
    this.names = options.targets ?? ["edge"];
    execFileSync("git", ["init", "--quiet", "--bare", "--initial-branch=main", this.remote]);
    execFileSync("git", ["clone", "--quiet", this.remote, this.work], { stdio: "ignore" });
    this.git("checkout", "--quiet", "-B", "main");
    this.configure(options.agent ?? "");
    for (const name of this.names) this.write(`${name}/objects.yaml`, addresses(name, { a: "10.0.0.1" }));
    this.push("first");
  }

  /** The same, closed when the test that runs has ended. */
  static async startForTest(options?: AgentWorldOptions): Promise<AgentWorld> {
    const world = await AgentWorld.start(options);
    afterTest(() => world.close());
    return world;
  }

  static async start(options: AgentWorldOptions = {}): Promise<AgentWorld> {
    const administrators = ["netops", "alice"].map((name) => ({ name, password: "secret", role: { kind: "superuser" } as const }));
    const devices = (options.targets ?? ["edge"]).map((name) => ({
      name,
      config: RUNNING,
      administrators,
      plainHttp: true,
      jobDuration: 0,
      ...options.device,
    }));
    const lab = { devices: [...devices, ...(options.more ?? [])], certificate: await oneCertificate() };
    return new AgentWorld(await startLab(options.labClock === undefined ? lab : { ...lab, clock: options.labClock }), options);
  }

  get remote(): string {
    return join(this.folder, "origin.git");
  }

  get work(): string {
    return join(this.folder, "work");
  }

  get stateFolder(): string {
    return join(this.folder, "state");
  }

  git(...words: string[]): string {
    const identity = ["-c", "user.name=Ann", "-c", "user.email=ann@example.com", "-c", "commit.gpgsign=false"];
    return execFileSync("git", ["-C", this.work, ...identity, ...words], { encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] }).trim();
  }

  write(file: string, text: string): void {
    mkdirSync(dirname(join(this.work, file)), { recursive: true });
    writeFileSync(join(this.work, file), text);
  }

  read(file: string): string {
    return readFileSync(join(this.work, file), "utf8");
  }

  /** Writes plumbline.yaml. */
  configure(agent: string, target = this.#options.target ?? ""): void {
    const rows = this.names.map((name) => {
      const url = this.device(name).plainUrl;
      const more = target === "" ? "" : `, ${target}`;
      const mode = /\bmode:/.test(target) ? "" : ", mode: enforce";
      return `  ${name}: { kind: panos, url: "${url}", credentials: { username: netops, password: "\${env:PW}" }${mode}${more} }`;
    });
    const settings = agent === "" ? [] : ["agent:", ...agent.split("\n").map((line) => `  ${line}`)];
    this.write(
      "plumbline.yaml",
      [
        "format: 1",
        "owner: netops",
        `documents: [${this.names.join(", ")}]`,
        "targets:",
        ...rows,
        "guards: { updates: 100%, deletes: 100%, from: 10, short: 100%, emptyList: allow }",
        ...settings,
        "",
      ].join("\n"),
    );
  }

  want(name: string, entries: Readonly<Record<string, string>>): void {
    this.write(`${name}/objects.yaml`, addresses(name, entries));
  }

  commit(message: string, ...options: string[]): string {
    this.git("add", ".");
    this.git(
      ...options.filter((option) => option.startsWith("-c") || option.includes("=")),
      "commit",
      "--quiet",
      "--allow-empty",
      "-m",
      message,
    );
    return this.git("rev-parse", "HEAD");
  }

  push(message: string): string {
    const commit = this.commit(message);
    this.git("push", "--quiet", "--force", "origin", "HEAD:main");
    return commit;
  }

  device(name = this.names[0] ?? ""): RunningDevice {
    const device = this.lab.devices.find((each) => each.name === name);
    if (device === undefined) throw new Error(`no device ${name}`);
    return device;
  }

  /** Addresses of the running configuration, by name. */
  addressesOf(name = this.names[0] ?? ""): Record<string, string> {
    const reply = this.device(name).act("alice", { type: "config", action: "show", xpath: ADDRESS });
    const xml = typeof reply === "string" ? reply : JSON.stringify(reply);
    const found = [...String(xml).matchAll(/<entry name=\\?"([^"\\]+)\\?"[^>]*>\s*<ip-netmask[^>]*>([^<]+)</g)];
    return Object.fromEntries(found.map(([, key, value]) => [key ?? "", value ?? ""]));
  }

  /** Another administrator changes an address, and commits. */
  meddle(entry: string, value: string, name = this.names[0] ?? ""): void {
    this.act(name, { type: "config", action: "set", xpath: this.addressPath(entry), element: `<ip-netmask>${value}</ip-netmask>` });
  }

  /** Another administrator sends a request, and commits. */
  act(name: string, params: Readonly<Record<string, string>>): void {
    const device = this.device(name);
    device.act("alice", params);
    device.act("alice", { type: "commit", cmd: "<commit><description>by hand</description></commit>" });
  }

  addressPath(entry: string): string {
    return `${ADDRESS}/entry[@name='${entry}']`;
  }

  /** Opens store and agent; `run` or `once` starts it. */
  async openAgent(): Promise<OpenAgent> {
    this.#stop = new AbortController();
    this.store = await openStore({ kind: "sqlite", file: join(this.stateFolder, "plumbline.db") }, { readOnly: false });
    this.#claim = await this.store.claim({ host: "h", pid: process.pid, started: this.clock.now(), version }, this.clock.now());
    const follows = this.signatures.tag === undefined ? { branch: "main" } : {};
    const source = { url: this.watched ?? this.remote, ...follows, ...this.signatures };
    const settings = readAgent({ source, http: { port: 0 }, ...this.page }, this.folder);
    this.open = await openAgent({
      settings,
      fixed: {},
      configurationFile: undefined,
      store: this.store,
      pass: passOptions({
        stateFolder: this.stateFolder,
        kinds: KINDS,
        environment: this.environment,
        machine: { ...thisMachine, now: () => this.clock.now() },
        stop: this.#stop.signal,
      }),
      write: { takeover: false, lockTimeout: 0, sleep: async () => undefined, observer: this.#observer() },
      writers: this.wrap(CONNECTIONS),
      load: this.loader(this.#stop.signal),
      clock: this.clock,
      stop: this.#stop.signal,
      onFault: (error) => void this.faults.push(error),
    });
    this.open.events.listen((event) => {
      this.events.push(event);
      for (const wake of this.#waiting.splice(0)) wake();
    });
    return this.open;
  }

  /** Another runner reconciles the first target in the person's clone, with an empty state folder. */
  async reconcileInWork(more: PassFields): Promise<TargetOutcome | undefined> {
    const options: PassOptions = passOptions({
      targets: [],
      configurationFile: join(this.work, "plumbline.yaml"),
      stateFolder: mkdtempSync(join(tmpdir(), "other-state-")),
      kinds: KINDS,
      environment: this.environment,
      machine: { ...thisMachine, now: () => this.clock.now() },
      ...more,
    });
    const [outcome] = await reconcileTargets(options, { takeover: false, lockTimeout: 0, sleep: async () => undefined }, CONNECTIONS);
    return outcome;
  }

  #observer(): StepObserver {
    return {
      before: async (step) => {
        if (step === "validate") await this.beforeCommit?.();
      },
      after: async (step) => {
        if (step === "commit") await this.afterCommit?.();
      },
    };
  }

  /** Fields of `agent.source` in addition to the address. */
  signatures: {
    signatures?: { require: "ssh" | "gpg" | "any"; allowedSigners?: string; keyring?: string };
    allowRewind?: boolean;
    ancestor?: string;
    tag?: string;
    path?: string;
  } = {};

  /** `agent.page` of the agent's own settings. */
  page: { page?: PageText } = {};

  async run(): Promise<void> {
    const { agent } = await this.openAgent();
    this.#running = agent.run(this.#stop.signal);
  }

  async once(): Promise<ReadonlyMap<string, string>> {
    const { agent } = await this.openAgent();
    try {
      return await agent.once(this.#stop.signal);
    } finally {
      await this.end();
    }
  }

  /** Stops the agent like a signal, and waits until it has ended. */
  async end(): Promise<void> {
    this.#stop.abort();
    await this.#running;
    this.#running = undefined;
    await this.#claim?.release();
    await this.store?.close();
    this.#claim = undefined;
    this.store = undefined;
  }

  /** Returns the first matching event since the last time advance, past or future. */
  async event<Type extends AgentEventType>(
    type: Type,
    fits: (event: Of<Type>) => boolean = () => true,
    from = this.#moved,
  ): Promise<Of<Type>> {
    for (let at = from; ; at++) {
      while (at >= this.events.length) await new Promise<void>((wake) => this.#waiting.push(wake));
      const event = this.events[at];
      if (event?.type === type && fits(event as Of<Type>)) return event as Of<Type>;
    }
  }

  /** Waits until no work runs and the loop sleeps. All due work has then started and ended. */
  async settle(): Promise<void> {
    while (!this.#isAtRest) await this.clock.nextSleep();
  }

  get #isAtRest(): boolean {
    const isIdle = this.open?.agent.isIdle !== false;
    return this.#running === undefined ? isIdle : isIdle && this.clock.isSleptOn;
  }

  /** Advances the time after all work has ended, and waits for the resulting work. */
  async after<Type extends AgentEventType>(
    milliseconds: number,
    type: Type,
    fits: (event: Of<Type>) => boolean = () => true,
  ): Promise<Of<Type>> {
    await this.settle();
    this.#moved = this.events.length;
    this.clock.advance(milliseconds);
    return await this.event(type, fits);
  }

  /** Number of abort listeners. It must not grow with the number of passes. */
  get stopListeners(): number {
    return getEventListeners(this.#stop.signal, "abort").length;
  }

  seen(type: AgentEventType): number {
    return this.events.filter((event) => event.type === type).length;
  }

  async close(): Promise<void> {
    await this.end();
    await this.lab.close();
    rmSync(this.folder, { recursive: true, force: true });
    if (this.faults.length > 0) throw new AggregateError(this.faults, "unforeseen");
  }
}

export function addresses(target: string, entries: Readonly<Record<string, string>>): string {
  const rows = Object.entries(entries).map(([name, value]) => `    ${name}: { ip-netmask: ${value} }`);
  return [`target: ${target}`, "scope: vsys1", "config:", "  address:", ...rows, ""].join("\n");
}

const QUIET = { debug: () => undefined, warn: () => undefined };

/** Polls of jobs are a hundred times more frequent than on a real device. */
const HASTY: PanosDependencies = {
  ...systemDependencies(QUIET),
  clock: { now: () => performance.now(), sleep: (milliseconds) => new Promise((done) => setTimeout(done, milliseconds / 100)) },
};

/** A later test may find another device at the same port, with the same serial number. */
function hasty(): PanosDependencies {
  return { ...HASTY, devices: new KnownDevices() };
}

export const CONNECTIONS: Writers = {
  reader(configuration: PanosTargetConfiguration) {
    return openPanosReader(configuration, hasty());
  },
  writer(configuration: PanosTargetConfiguration) {
    return openPanosWriter(configuration, hasty());
  },
  guards: () => ({ management: () => undefined, meaning: () => undefined, neverPruned: () => false }),
  policies: () => panosKind.policies,
};
