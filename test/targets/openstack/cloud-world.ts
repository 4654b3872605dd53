import { execFileSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Dispatcher, Pool } from "undici";
import { adoptTargets } from "../../../src/engine/adopt.js";
import { type Answered, reachTargets } from "../../../src/engine/pass/answer-question.js";
import { type Machine, thisMachine } from "../../../src/engine/pass/machine.js";
import type { PassOptions, WriteOptions, Writers } from "../../../src/engine/pass/options.js";
import { driftTargets, planTargets, reconcileTargets } from "../../../src/engine/reconcile.js";
import type { TargetKind } from "../../../src/engine/target-kind.js";
import type { OpenstackLabOptions } from "../../../src/lab/openstack/options.js";
import { type RunningOpenstackLab, startOpenstackLab } from "../../../src/lab/openstack/start.js";
import { ManualClock } from "../../../src/lab/panos/clock.js";
import type { TargetOutcome } from "../../../src/outcome/outcome.js";
import type { Reach } from "../../../src/outcome/reach.js";
import type { FlowQuestion } from "../../../src/reachability/policy-role.js";
import { memoryGuards, memoryKind } from "../../../src/targets/memory/kind.js";
import { openMemoryReader, openMemoryWriter } from "../../../src/targets/memory/open-memory.js";
import type { MemoryTargetConfiguration } from "../../../src/targets/memory/settings.js";
import { openstackGuards } from "../../../src/targets/openstack/guards.js";
import { openstackKind } from "../../../src/targets/openstack/kind.js";
import { OpenstackReader } from "../../../src/targets/openstack/reader.js";
import { OpenstackWriter } from "../../../src/targets/openstack/writer.js";
import type { OpenstackTargetConfiguration } from "../../../src/targets/openstack-client/configuration.js";
import { afterTest } from "../../after-test.js";
import { Processes } from "../../engine/processes.js";
import { madeOnce } from "../../made-once.js";
import { type PassFields, passOptions } from "../../pass-options.js";
import { dependencies, type TestDependencies } from "./fixtures.js";

const KINDS = new Map<string, TargetKind<never>>([
  ["openstack", openstackKind],
  ["memory", memoryKind],
]);

const PASSWORD = "secret";
const GUARDS = "{ updates: 100%, deletes: 100%, from: 10, short: 100%, emptyList: allow }";

const copyEmpty = madeOnce((folder) => void execFileSync("git", ["init", "-q", folder]));

/** A git repository with the desired state of one project, and a lab cloud that it speaks of; both live by one clock. */
export class CloudWorld {
  readonly lab: RunningOpenstackLab;
  readonly clock: ManualClock;
  readonly injected: TestDependencies;
  /** The run is killed at its nth write, from 1: before it is sent, or after it was executed. No request is sent afterwards. */
  death: { readonly atWrite: number; readonly when: "before" | "after" } | undefined;
  #writes = 0;
  readonly #processes = new Processes();
  readonly folder = mkdtempSync(join(tmpdir(), "cloud-world-"));
  /** State folder of the runs. */
  state = "state";
  environment: Record<string, string> = {};
  /** User of the runs. */
  user = "demo";
  project = "demo";
  overrides: Partial<OpenstackTargetConfiguration> = {};
  /** The checkout that runs are made from. */
  checkout: string;

  private constructor(lab: RunningOpenstackLab, clock: ManualClock) {
    this.lab = lab;
    this.clock = clock;
    this.injected = dependencies(clock, { workingFolder: this.folder });
    this.checkout = join(this.folder, "repository");
    mkdirSync(join(this.checkout, "cloud"), { recursive: true });
    copyEmpty(this.checkout);
    this.configure(GUARDS);
  }

  static async start(options: OpenstackLabOptions = {}): Promise<CloudWorld> {
    const clock = new ManualClock();
    const world = new CloudWorld(await startOpenstackLab({ ports: "free", clock, random: randomBytes, ...options }), clock);
    afterTest(() => world.close());
    return world;
  }

  /** @param targets further lines below `targets:` */
  configure(guards: string, targets = ""): void {
    const access = `url: "${this.lab.authUrl}", username: demo, password: "\${env:PW}", project: demo`;
    const lines = [
      "format: 1",
      "owner: netops",
      "documents: [cloud]",
      "targets:",
      `  cloud: { kind: openstack, cloud: lab, mode: enforce }`,
      ...(targets === "" ? [] : [targets.trimEnd()]),
    ];
    writeFileSync(join(this.checkout, "plumbline.yaml"), [...lines, `guards: ${guards}`, `# ${access}`, ""].join("\n"));
  }

  /** Adds targets in files of the checkout, which git ignores. */
  addFiles(targets: string, ignored: string): void {
    this.configure(GUARDS, targets);
    writeFileSync(join(this.checkout, ".gitignore"), ignored);
  }

  git(...words: string[]): string {
    const who = ["-c", "user.name=t", "-c", "user.email=t@example.net"];
    return execFileSync("git", ["-C", this.checkout, ...who, ...words], { encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] }).trim();
  }

  /** Writes a document of the repository and commits everything. */
  want(config: string, file = "project.yaml"): this {
    return this.wantText(`target: cloud\nscope: project\nconfig:\n${config.replace(/^/gm, "  ").trimEnd()}\n`, file);
  }

  wantText(text: string, file = "project.yaml"): this {
    writeFileSync(join(this.checkout, "cloud", file), text);
    this.commit();
    return this;
  }

  remove(file: string): this {
    rmSync(join(this.checkout, "cloud", file));
    this.commit();
    return this;
  }

  commit(): void {
    this.git("add", "-A");
    this.git("commit", "-q", "--allow-empty", "-m", "change");
  }

  /** From now on runs are made from a new shallow clone, on an empty state folder. */
  cloneAnew(): this {
    const clone = mkdtempSync(join(this.folder, "clone-"));
    execFileSync("git", ["clone", "-q", "--depth", "1", `file://${this.checkout}`, clone], { stdio: "ignore" });
    this.checkout = clone;
    this.state = `state-of-${clone.slice(-6)}`;
    return this;
  }

  /** The ledger was lost. */
  forgetLedger(): void {
    rmSync(join(this.folder, "ledger.json"));
  }

  async plan(pass: PassFields = {}): Promise<TargetOutcome> {
    return only(await planTargets(this.#options(pass), this.#connections()));
  }

  async drift(pass: PassFields = {}): Promise<TargetOutcome> {
    return only(await driftTargets(this.#options(pass), this.#connections()));
  }

  async reach(question: FlowQuestion): Promise<Answered<Reach>[]> {
    return await reachTargets(this.#options({ targets: ["cloud"] }), this.#connections(), { view: "running", scope: undefined }, question);
  }

  async adopt(pass: PassFields = {}): Promise<TargetOutcome> {
    return only((await adoptTargets(this.#options(pass), this.#connections())).map(({ outcome }) => outcome));
  }

  /** Each run is a process of its own, which is gone when it ends. */
  async reconcile(pass: PassFields = {}, more: Partial<WriteOptions> = {}, process: Partial<Machine> = {}): Promise<TargetOutcome> {
    const write: WriteOptions = { takeover: false, lockTimeout: 0, sleep: async () => undefined, ...more };
    const run = (machine: Machine) => reconcileTargets({ ...this.#options(pass), machine }, write, this.#connections());
    return only(await this.#processes.run(process, run));
  }

  /** Reconciles. Throws its error. */
  async reconciled(pass: PassFields = {}): Promise<TargetOutcome> {
    const outcome = await this.reconcile(pass);
    if (outcome.error !== undefined) throw outcome.error;
    return outcome;
  }

  /** Another user's request; the lab's `demo` by default. */
  act(method: string, path: string, body?: object, user = "demo"): { readonly status: number; readonly body: unknown } {
    const service = path.startsWith("/v2.1") ? "compute" : path.startsWith("/v3/") ? "volume" : "network";
    const { status, text } = this.lab.act({ service, method, path, user, ...(body === undefined ? {} : { body: body as never }) });
    return { status, body: text === "" ? undefined : JSON.parse(text) };
  }

  /** Requests of the last runs that change something, in words. */
  writesSince(since: number): string[] {
    return this.lab.journal
      .slice(since)
      .filter(({ method, service }) => method !== "GET" && service !== "identity")
      .map(({ method, path }) => `${method} ${path.replace(/[0-9a-f]{8}-[0-9a-f-]{27}/g, "ID")}`);
  }

  async close(): Promise<void> {
    await this.lab.close();
    rmSync(this.folder, { recursive: true, force: true });
  }

  /** A connection pool that fails as defined by `death`. */
  readonly #mortalPool: TestDependencies["dispatcher"] = (origin, options) => {
    const pool = new Pool(origin, options);
    const request = async (asked: Dispatcher.RequestOptions): Promise<Dispatcher.ResponseData> => {
      const { death } = this;
      if (death === undefined) return await pool.request(asked);
      const isWrite = asked.method !== "GET" && !asked.path.includes("/auth/tokens");
      const isLast = isWrite && this.#writes + 1 === death.atWrite;
      if (this.#writes >= death.atWrite || (isLast && death.when === "before")) {
        this.#writes = death.atWrite;
        throw new Error("dead");
      }
      const response = await pool.request(asked);
      if (isWrite) this.#writes++;
      if (!isLast) return response;
      await response.body.dump();
      throw new Error("dead");
    };
    return { request, destroy: () => pool.destroy() } as unknown as Dispatcher;
  };

  /** Lets the next run live. */
  resurrect(): this {
    this.death = undefined;
    this.#writes = 0;
    return this;
  }

  #options(pass: PassFields): PassOptions {
    return passOptions({
      configurationFile: join(this.checkout, "plumbline.yaml"),
      stateFolder: join(this.folder, this.state),
      ledger: join(this.folder, "ledger.json"),
      kinds: KINDS,
      environment: { PW: PASSWORD, ...this.environment },
      machine: thisMachine,
      targets: [],
      ...pass,
    });
  }

  #connections(): Writers {
    const environment = {
      OS_CLOUD: "",
      OS_AUTH_URL: this.lab.authUrl,
      OS_USERNAME: this.user,
      OS_PASSWORD: PASSWORD,
      OS_PROJECT_NAME: this.project,
      OS_USER_DOMAIN_NAME: "Default",
      OS_PROJECT_DOMAIN_NAME: "Default",
    };
    const injected = { ...this.injected, environment, dispatcher: this.#mortalPool };
    const settings = (configuration: OpenstackTargetConfiguration) => ({ ...configuration, cloud: undefined, ...this.overrides });
    return {
      reader(configuration: OpenstackTargetConfiguration | MemoryTargetConfiguration) {
        if (configuration.kind === "memory") return openMemoryReader(configuration);
        return new OpenstackReader(settings(configuration), injected);
      },
      writer(configuration: OpenstackTargetConfiguration | MemoryTargetConfiguration) {
        if (configuration.kind === "memory") return openMemoryWriter(configuration);
        return new OpenstackWriter(settings(configuration), injected);
      },
      guards: (kind) => (kind === "memory" ? memoryGuards : openstackGuards),
      policies: (kind) => (kind === "memory" ? memoryKind.policies : openstackKind.policies),
    };
  }
}

/** Returns the outcome of the cloud. The other targets of a run have to succeed. */
function only(outcomes: readonly TargetOutcome[]): TargetOutcome {
  const failed = outcomes.find(({ kind, error }) => kind === "memory" && error !== undefined);
  if (failed !== undefined) throw failed.error;
  const [outcome, ...others] = outcomes.filter(({ kind }) => kind !== "memory");
  if (outcome === undefined || others.length > 0) throw new Error(`${outcomes.length} outcomes`);
  return outcome;
}
