import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { adoptTargets } from "../../../src/engine/adopt.js";
import { type Diagnosis, doctorTargets } from "../../../src/engine/doctor.js";
import { type Machine, thisMachine } from "../../../src/engine/pass/machine.js";
import type { PassOptions, WriteOptions, Writers } from "../../../src/engine/pass/options.js";
import { driftTargets, planTargets, reconcileTargets } from "../../../src/engine/reconcile.js";
import type { WriteTarget } from "../../../src/engine/write-target.js";
import { type Clock, ManualClock, systemClock } from "../../../src/lab/panos/clock.js";
import type { DeviceOptions } from "../../../src/lab/panos/options.js";
import { type RunningLab, startLab } from "../../../src/lab/panos/start.js";
import type { TargetOutcome } from "../../../src/outcome/outcome.js";
import type { KindGuards } from "../../../src/plan/model.js";
import type { PanosDependencies } from "../../../src/targets/panos/dependencies.js";
import { systemDependencies } from "../../../src/targets/panos/dependencies.js";
import { panosKind } from "../../../src/targets/panos/kind.js";
import { KnownDevices } from "../../../src/targets/panos/known-devices.js";
import { openPanosReader } from "../../../src/targets/panos/reader.js";
import type { PanosTargetConfiguration } from "../../../src/targets/panos/settings.js";
import { openPanosWriter } from "../../../src/targets/panos/writer.js";
import { oneCertificate } from "../../one-certificate.js";
import { type PassFields, passOptions } from "../../pass-options.js";

const KINDS = new Map([["panos", panosKind]]);

const NO_GUARDS: KindGuards = { management: () => undefined, meaning: () => undefined, neverPruned: () => false };

export interface LabRun {
  readonly machine?: Partial<Machine>;
  readonly pass?: PassFields;
  readonly write?: Partial<WriteOptions>;
  /** Wraps the target, for example to die. */
  readonly wrap?: (target: WriteTarget) => WriteTarget;
  /** Separate connections, not the ones that the other runs of these tests share. */
  readonly connections?: Writers;
}

/** Data that another process needs to run on the same repository and device. */
export interface RunFiles {
  readonly configurationFile: string;
  readonly stateFolder: string;
  readonly ledger: string;
}

/** A repository on disk, and a lab firewall that its target is. */
export class LabWorld {
  readonly lab: RunningLab;
  readonly files: RunFiles;
  /** Variables that documents reference, in addition to the password. */
  environment: Record<string, string> = {};
  /** How runs wait. */
  sleep: WriteOptions["sleep"] = async () => undefined;
  readonly #folder: string;
  readonly #clock: Clock;

  private constructor(lab: RunningLab, clock: Clock, more: string) {
    this.lab = lab;
    this.#clock = clock;
    this.#folder = mkdtempSync(join(tmpdir(), "lab-world-"));
    this.files = {
      configurationFile: join(this.#folder, "plumbline.yaml"),
      stateFolder: join(this.#folder, "state"),
      ledger: join(this.#folder, "ledger.json"),
    };
    mkdirSync(join(this.#folder, "edge"));
    writeFileSync(
      this.files.configurationFile,
      [
        "format: 1",
        "owner: netops-edge",
        "documents: [edge]",
        "targets:",
        `  edge: { kind: panos, url: "${lab.device.plainUrl}", credentials: { username: netops, password: "\${env:PW}" }, mode: enforce${more} }`,
        "guards: { updates: 100%, deletes: 100%, from: 10, short: 100%, emptyList: allow }",
        "",
      ].join("\n"),
    );
  }

  /** `more` is additional text of the target, such as `, blindCommit: true`. */
  static async start(running: string, options: DeviceOptions = {}, clock: Clock = new TimeAhead(), more = ""): Promise<LabWorld> {
    const administrators = ["netops", "alice"].map((name) => ({ name, password: "secret", role: { kind: "superuser" } as const }));
    const devices = [{ config: running, administrators, plainHttp: true, jobDuration: 0, ...options }];
    return new LabWorld(await startLab({ devices, clock, certificate: await oneCertificate() }), clock, more);
  }

  want(text: string, file = "policy.yaml"): void {
    writeFileSync(join(this.#folder, "edge", file), text);
  }

  emptyState(): void {
    rmSync(this.files.stateFolder, { recursive: true, force: true });
  }

  /** Advances the device's own clock if the lab allows it. */
  later(milliseconds: number): this {
    if (this.#clock instanceof TimeAhead || this.#clock instanceof ManualClock) this.#clock.advance(milliseconds);
    return this;
  }

  async plan(run: LabRun = {}): Promise<TargetOutcome> {
    return only(await planTargets(this.#passOptions(run), run.connections ?? CONNECTIONS));
  }

  async drift(run: LabRun = {}): Promise<TargetOutcome> {
    return only(await driftTargets(this.#passOptions(run), run.connections ?? CONNECTIONS));
  }

  async adopt(run: LabRun = {}): Promise<TargetOutcome> {
    return only((await adoptTargets(this.#passOptions(run), CONNECTIONS)).map(({ outcome }) => outcome));
  }

  async reconcile(run: LabRun = {}): Promise<TargetOutcome> {
    return only(await reconcileTargets(this.#passOptions(run), this.#write(run), this.#writers(run)));
  }

  /** With `scratch`, trials are made there. */
  async doctor(scratch?: string, run: LabRun = {}): Promise<Diagnosis> {
    return only(await doctorTargets(this.#passOptions(run), this.#write(run), this.#writers(run), scratch));
  }

  inMode(mode: string): void {
    const text = readFileSync(this.files.configurationFile, "utf8");
    writeFileSync(this.files.configurationFile, text.replace("mode: enforce", `mode: ${mode}`));
  }

  #write(run: LabRun): WriteOptions {
    return { takeover: false, lockTimeout: 0, sleep: this.sleep, ...run.write };
  }

  #writers({ wrap = (target: WriteTarget) => target, connections = CONNECTIONS }: LabRun): Writers {
    return { ...connections, writer: async (configuration) => wrap(await connections.writer(configuration)) };
  }

  async close(): Promise<void> {
    await this.lab.close();
    rmSync(this.#folder, { recursive: true, force: true });
  }

  #passOptions({ machine, pass }: LabRun): PassOptions {
    return passOptions({
      ...this.files,
      kinds: KINDS,
      environment: { PW: "secret", ...this.environment },
      machine: { ...thisMachine, ...machine },
      targets: [],
      ...pass,
    });
  }
}

/** The time of this machine plus an offset that the test sets. */
class TimeAhead implements Clock {
  #ahead = 0;

  now(): number {
    return Date.now() + this.#ahead;
  }

  wait(milliseconds: number): Promise<void> {
    return systemClock.wait(milliseconds);
  }

  advance(milliseconds: number): void {
    this.#ahead += milliseconds;
  }
}

const QUIET = { debug: () => undefined, warn: () => undefined };

/** Waits are a hundred times shorter than on a real device. */
const HASTY: PanosDependencies = {
  ...systemDependencies(QUIET),
  clock: { now: () => performance.now(), sleep: (milliseconds) => new Promise((done) => setTimeout(done, milliseconds / 100)) },
};

/** A later test may find another device at the same port, with the same serial number. */
function hasty(): PanosDependencies {
  return { ...HASTY, devices: new KnownDevices() };
}

const BOUNDS = { jobTimeout: 500, jobSilence: 500, maxReplyBytes: 1_000_000 };

const CONNECTIONS: Writers = {
  reader(configuration: PanosTargetConfiguration) {
    return openPanosReader(configuration, hasty(), BOUNDS);
  },
  writer(configuration: PanosTargetConfiguration) {
    return openPanosWriter(configuration, hasty(), BOUNDS);
  },
  guards: () => NO_GUARDS,
};

function only<T>(outcomes: readonly T[]): T {
  const [outcome, ...others] = outcomes;
  if (outcome === undefined || others.length > 0) throw new Error(`${outcomes.length} outcomes`);
  return outcome;
}
