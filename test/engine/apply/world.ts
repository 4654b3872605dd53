import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { cloneTree } from "../../../src/core/tree/edit/edit-tree.js";
import type { TreeNode } from "../../../src/core/tree/node.js";
import { parseXml } from "../../../src/core/tree/xml/parse.js";
import type { TargetConfiguration } from "../../../src/desired/configuration/configuration.js";
import { adoptTargets } from "../../../src/engine/adopt.js";
import type { StepObserver } from "../../../src/engine/apply/steps.js";
import type { Machine } from "../../../src/engine/pass/machine.js";
import type { PassOptions, WriteOptions, Writers } from "../../../src/engine/pass/options.js";
import { driftTargets, planTargets, reconcileTargets } from "../../../src/engine/reconcile.js";
import type { WriteTarget } from "../../../src/engine/write-target.js";
import type { TargetOutcome } from "../../../src/outcome/outcome.js";
import type { KindGuards } from "../../../src/plan/model.js";
import type { Capabilities } from "../../../src/plan/platform.js";
import { panosKind } from "../../../src/targets/panos/kind.js";
import { afterTest } from "../../after-test.js";
import { type PassFields, passOptions } from "../../pass-options.js";
import { Device } from "./device.js";
import { ALL, DeviceTarget, type Wire } from "./device-target.js";

const KINDS = new Map([["panos", panosKind]]);

const NO_GUARDS: KindGuards = { management: () => undefined, meaning: () => undefined, neverPruned: () => false };

export interface RunOptions {
  readonly observer?: StepObserver;
  readonly wire?: Wire;
  readonly machine?: Partial<Machine>;
  readonly pass?: PassFields;
  readonly write?: Partial<WriteOptions>;
  /** Wraps the target, for example to die. */
  readonly wrap?: (target: WriteTarget) => WriteTarget;
}

/** One repository, one device and the machines that run Plumbline on them. */
export class World {
  readonly device: Device;
  readonly folder = mkdtempSync(join(tmpdir(), "world-"));
  capabilities: Capabilities = ALL;
  guards: KindGuards = NO_GUARDS;
  /** Devices of further targets, by name. */
  readonly others = new Map<string, Device>();
  now = Date.UTC(2026, 0, 2, 3, 4, 5);
  #runs = 0;

  /** `more` is additional text of the target, such as `, blindCommit: true`. */
  constructor(running: string, more = "") {
    this.device = new Device(tree(running));
    afterTest(() => rmSync(this.folder, { recursive: true, force: true }));
    mkdirSync(join(this.folder, "edge"));
    writeFileSync(
      join(this.folder, "plumbline.yaml"),
      [
        "format: 1",
        "owner: netops-edge",
        "documents: [edge]",
        "targets:",
        `  edge: { kind: panos, url: "https://192.0.2.1", credentials: { username: netops, password: "\${env:PW}" }, mode: enforce${more} }`,
        "guards: { updates: 100%, deletes: 100%, from: 10, short: 100%, emptyList: allow }",
        "",
      ].join("\n"),
    );
  }

  /** Another target with a device and a document of its own. */
  add(name: string, running: string, text: string): Device {
    const device = new Device(tree(running));
    device.serial = `0001-${name}`;
    this.others.set(name, device);
    const file = join(this.folder, "plumbline.yaml");
    const target = `  ${name}: { kind: panos, url: "https://192.0.2.2", credentials: { username: netops, password: "\${env:PW}" }, mode: enforce }`;
    writeFileSync(file, readFileSync(file, "utf8").replace("guards:", `${target}\nguards:`));
    writeFileSync(join(this.folder, "edge", `${name}.yaml`), text);
    return device;
  }

  /** Writes the only document of the repository. */
  want(text: string): this {
    writeFileSync(join(this.folder, "edge", "policy.yaml"), text);
    return this;
  }

  get stateFolder(): string {
    return join(this.folder, "state");
  }

  emptyState(): void {
    rmSync(this.stateFolder, { recursive: true, force: true });
  }

  async plan(options: RunOptions = {}): Promise<TargetOutcome> {
    return only(await this.planAll(options));
  }

  async planAll(options: RunOptions = {}): Promise<TargetOutcome[]> {
    return await planTargets(this.#passOptions(options), this.#connections(options));
  }

  async drift(options: RunOptions = {}): Promise<TargetOutcome> {
    return only(await this.driftAll(options));
  }

  async driftAll(options: RunOptions = {}): Promise<TargetOutcome[]> {
    return await driftTargets(this.#passOptions(options), this.#connections(options));
  }

  async adopt(options: RunOptions = {}): Promise<TargetOutcome> {
    return only((await adoptTargets(this.#passOptions(options), this.#connections(options))).map(({ outcome }) => outcome));
  }

  async reconcile(options: RunOptions = {}): Promise<TargetOutcome> {
    return only(await this.reconcileAll(options));
  }

  async reconcileAll(options: RunOptions = {}): Promise<TargetOutcome[]> {
    const write: WriteOptions = {
      takeover: false,
      lockTimeout: 0,
      sleep: async (milliseconds) => {
        this.now += milliseconds;
      },
      ...(options.observer === undefined ? {} : { observer: options.observer }),
      ...options.write,
    };
    return await reconcileTargets(this.#passOptions(options), write, this.#connections(options));
  }

  #passOptions(options: RunOptions): PassOptions {
    this.#runs += 1;
    const machine: Machine = {
      now: () => this.now,
      monotonic: () => this.now,
      host: "a1",
      pid: this.#runs,
      isAlive: () => false,
      random: () => `r${this.#runs}`,
      ...options.machine,
    };
    return passOptions({
      configurationFile: join(this.folder, "plumbline.yaml"),
      stateFolder: this.stateFolder,
      kinds: KINDS,
      environment: { PW: "secret" },
      machine,
      targets: [],
      ledger: join(this.folder, "ledger.json"),
      ...options.pass,
    });
  }

  #connections({ wire, wrap = (target) => target }: RunOptions): Writers {
    const connect = ({ name }: TargetConfiguration) =>
      wrap(
        new DeviceTarget(name, this.others.get(name) ?? this.device, {
          capabilities: this.capabilities,
          ...(wire === undefined ? {} : { wire }),
        }),
      );
    return { reader: connect, writer: connect, guards: () => this.guards, policies: () => panosKind.policies };
  }
}

function tree(xml: string): TreeNode {
  return cloneTree(parseXml(Buffer.from(xml)));
}

function only(outcomes: readonly TargetOutcome[]): TargetOutcome {
  const [outcome, ...others] = outcomes;
  if (outcome === undefined || others.length > 0) throw new Error(`${outcomes.length} outcomes`);
  return outcome;
}
