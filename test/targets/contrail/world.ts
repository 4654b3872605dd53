import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Pool } from "undici";
import { adoptTargets } from "../../../src/engine/adopt.js";
import { type Answered, reachTargets } from "../../../src/engine/pass/answer-question.js";
import { type Machine, thisMachine } from "../../../src/engine/pass/machine.js";
import type { PassOptions, WriteOptions, Writers } from "../../../src/engine/pass/options.js";
import { driftTargets, planTargets, reconcileTargets } from "../../../src/engine/reconcile.js";
import type { HttpDependencies } from "../../../src/http/dependencies.js";
import { type ContrailLabOptions, type RunningContrailLab, startContrailLab } from "../../../src/lab/contrail/start.js";
import type { TargetOutcome } from "../../../src/outcome/outcome.js";
import type { Reach } from "../../../src/outcome/reach.js";
import type { FlowQuestion } from "../../../src/reachability/policy-role.js";
import type { TokenSource } from "../../../src/targets/contrail/client/connection.js";
import { contrailGuards } from "../../../src/targets/contrail/guards.js";
import { openContrailReader, openContrailWriter } from "../../../src/targets/contrail/open-contrail.js";
import { contrailPolicies } from "../../../src/targets/contrail/policy-role.js";
import type { ContrailTargetConfiguration } from "../../../src/targets/contrail/settings.js";
import { kinds } from "../../../src/targets/registry.js";
import { afterTest } from "../../after-test.js";
import { Processes } from "../../engine/processes.js";
import { type PassFields, passOptions } from "../../pass-options.js";

const HASTY: HttpDependencies = {
  clock: { now: () => performance.now(), sleep: (milliseconds) => new Promise((done) => setTimeout(done, milliseconds / 100)) },
  random: () => 0.5,
  logger: { debug: () => undefined, warn: () => undefined },
  dispatcher: (origin, options) => new Pool(origin, options),
};

export interface WorldOptions extends ContrailLabOptions {
  /** Tokens that we come with. */
  readonly tokens?: TokenSource;
}

export interface Run {
  readonly machine?: Partial<Machine>;
  readonly pass?: PassFields;
}

/** A repository on disk, and a lab controller that its target is; gone after the test. */
export class ControllerWorld {
  readonly lab: RunningContrailLab;
  readonly #tokens: TokenSource | undefined;
  readonly #processes = new Processes();
  readonly #folder: string;

  private constructor(lab: RunningContrailLab, tokens: TokenSource | undefined, guards: string) {
    this.lab = lab;
    this.#tokens = tokens;
    this.#folder = mkdtempSync(join(tmpdir(), "controller-world-"));
    mkdirSync(join(this.#folder, "fabric"));
    writeFileSync(
      join(this.#folder, "plumbline.yaml"),
      [
        "format: 1",
        "owner: netops",
        "documents: [fabric]",
        "targets:",
        ...(tokens === undefined ? [] : ["  cloud: { kind: openstack, cloud: lab }"]),
        `  fabric: { kind: contrail, url: "${lab.url}", mode: enforce${tokens === undefined ? "" : ", auth: { from: cloud }"} }`,
        `guards: { ${guards} }`,
        "",
      ].join("\n"),
    );
  }

  static async start(
    options: WorldOptions = {},
    guards = "updates: 100%, deletes: 100%, from: 10, short: 100%, emptyList: allow",
  ): Promise<ControllerWorld> {
    const lab = await startContrailLab({ ...options, port: 0 });
    lab.world.create("project", { fq_name: ["default-domain", "demo"], parent_type: "domain" });
    const world = new ControllerWorld(lab, options.tokens, guards);
    afterTest(() => world.close());
    return world;
  }

  /** The document of the target; `config` begins at the root. */
  want(config: string, header = ""): void {
    const body = config
      .split("\n")
      .map((line) => `  ${line}`)
      .join("\n");
    writeFileSync(join(this.#folder, "fabric", "fabric.yaml"), `target: fabric\nscope: controller\n${header}config:\n${body}\n`);
  }

  /** As on another machine: no state, no ledger. */
  emptyState(): void {
    for (const file of ["state", "ledger.json"]) rmSync(join(this.#folder, file), { recursive: true, force: true });
  }

  /** As on another machine with the same ledger. */
  forgetState(): void {
    rmSync(join(this.#folder, "state"), { recursive: true, force: true });
  }

  async plan(run: Run = {}): Promise<TargetOutcome> {
    return only(await planTargets(this.#passOptions(run), this.#connections()));
  }

  async drift(run: Run = {}): Promise<TargetOutcome> {
    return only(await driftTargets(this.#passOptions(run), this.#connections()));
  }

  async reach(question: FlowQuestion): Promise<Answered<Reach>[]> {
    return await reachTargets(this.#passOptions({}), this.#connections(), { view: "running", scope: undefined }, question);
  }

  async adopt(run: Run = {}): Promise<TargetOutcome> {
    return only((await adoptTargets(this.#passOptions(run), this.#connections())).map(({ outcome }) => outcome));
  }

  async reconcile(run: Run = {}): Promise<TargetOutcome> {
    const write: WriteOptions = { takeover: false, lockTimeout: 0, sleep: async () => undefined };
    const options = this.#passOptions(run);
    const work = (machine: Machine) => reconcileTargets({ ...options, machine }, write, this.#connections());
    return only(await this.#processes.run(run.machine ?? {}, work));
  }

  /** Reconciles. Fails the test on an error. */
  async reconciled(config: string, header = ""): Promise<TargetOutcome> {
    this.want(config, header);
    const outcome = await this.reconcile();
    if (outcome.error !== undefined) throw outcome.error;
    const [refusal] = outcome.plan?.refusals ?? [];
    if (refusal !== undefined) throw new Error(`${refusal.guard}: ${refusal.message}`);
    return outcome;
  }

  /** The object of that name in the controller, as stored. */
  object(type: string, name: string) {
    return this.lab.world.store.named(type, name.split(":"));
  }

  /** Requests since `from` that may change something, as `METHOD path`. */
  writes(from = 0): string[] {
    return this.lab.journal
      .slice(from)
      .filter(({ method, url }) => method !== "GET" && url !== "/fqname-to-id")
      .map(({ method, url }) => `${method} ${url.replace(/[0-9a-f]{8}-[0-9a-f-]{27}/, "UUID")}`);
  }

  async close(): Promise<void> {
    await this.lab.close();
    rmSync(this.#folder, { recursive: true, force: true });
  }

  #connections(): Writers {
    const tokensOf = () => {
      if (this.#tokens === undefined) throw new Error("no tokens");
      return this.#tokens;
    };
    return {
      reader(configuration: ContrailTargetConfiguration) {
        return openContrailReader(configuration, HASTY, tokensOf);
      },
      writer(configuration: ContrailTargetConfiguration) {
        return openContrailWriter(configuration, HASTY, tokensOf);
      },
      guards: () => contrailGuards,
      policies: () => contrailPolicies,
    };
  }

  #passOptions({ machine, pass }: Run): PassOptions {
    return passOptions({
      configurationFile: join(this.#folder, "plumbline.yaml"),
      stateFolder: join(this.#folder, "state"),
      ledger: join(this.#folder, "ledger.json"),
      kinds,
      environment: {},
      machine: { ...thisMachine, ...machine },
      targets: ["fabric"],
      ...pass,
    });
  }
}

function only(outcomes: readonly TargetOutcome[]): TargetOutcome {
  const [outcome, ...others] = outcomes;
  if (outcome === undefined || others.length > 0) throw new Error(`${outcomes.length} outcomes`);
  return outcome;
}
