import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as setTimer } from "node:timers/promises";
import { parsePath } from "../../../src/core/tree/xpath/xpath.js";
import type { StepName, StepObserver } from "../../../src/engine/apply/steps.js";
import { thisMachine } from "../../../src/engine/pass/machine.js";
import type { PassOptions, Writers } from "../../../src/engine/pass/options.js";
import { driftTargets, planTargets, reconcileTargets } from "../../../src/engine/reconcile.js";
import type { ProbeNetwork } from "../../../src/engine/watch/probe-network.js";
import type { DeviceOptions, LabDevice } from "../../../src/lab/lab.js";
import { type RunningDevice, type RunningLab, startLab } from "../../../src/lab/panos/start.js";
import type { TargetOutcome } from "../../../src/outcome/outcome.js";
import type { PushCourse } from "../../../src/outcome/push-course.js";
import { systemDependencies } from "../../../src/targets/panos/dependencies.js";
import { panosKind } from "../../../src/targets/panos/kind.js";
import { openPanosReader } from "../../../src/targets/panos/reader.js";
import type { PanosTargetConfiguration } from "../../../src/targets/panos/settings.js";
import { openPanosWriter } from "../../../src/targets/panos/writer.js";
import { afterTest } from "../../after-test.js";
import { MANAGER, managed, pushOf, SERIALS } from "../../lab/panos/manager/managed-lab.js";
import { oneCertificate } from "../../one-certificate.js";
import { passOptions } from "../../pass-options.js";

const KINDS = new Map([["panos", panosKind]]);

/** A manager with its firewalls, and documents of a group above two of them. */
export class ManagedWorld {
  readonly lab: RunningLab;
  readonly folder = mkdtempSync(join(tmpdir(), "plumbline-push-"));
  allow = new Map<string, string>();
  isWayBack = false;
  /** XPath of the subtree that the tests use. */
  only: string | undefined;
  /** Folder of the runs; a killed run has another one, because its process is gone. */
  machine: PassOptions["machine"] = thisMachine;
  /** Place of the firewalls of each push, recorded at every progress. */
  readonly courses: PushCourse[] = [];
  /** Addresses that probes can reach. */
  network: ProbeNetwork | undefined;

  private constructor(lab: RunningLab) {
    this.lab = lab;
    mkdirSync(join(this.folder, "manager"));
  }

  /**
   * All firewalls have the complete running configuration. `push`: the setting in plumbline.yaml; `active`: which of `a` and `b`, if they
   * are a pair; `other`: the passive manager, if there is one.
   */
  static async start(
    push = "{ timeout: 5 }",
    active?: "a" | "b",
    manager: DeviceOptions = {},
    other?: DeviceOptions,
  ): Promise<ManagedWorld> {
    const administrators = ["plumbline", "alice"].map((name) => ({ name, password: name, role: { kind: "superuser" as const } }));
    const world = new ManagedWorld(
      await startLab({
        certificate: await oneCertificate(),
        devices: [
          ...managed({ administrators, ...manager, ...(other === undefined ? {} : { peer: "other" }) }),
          ...(other === undefined ? [] : [{ name: "other", config: MANAGER, administrators, ...other }]),
        ].map((each) => ({
          ...each,
          ...(each.name === active ? { peer: active === "a" ? "b" : "a" } : {}),
          jobDuration: 0,
          plainHttp: true,
        })),
      }),
    );
    afterTest(async () => {
      await world.lab.close();
      rmSync(world.folder, { recursive: true, force: true });
    });
    world.configure(push);
    world.pushByHand("branch", "plants");
    return world;
  }

  /** `push`: undefined if the configuration has no push. */
  configure(push: string | undefined): void {
    const [url, peer] = ["manager", "other"].map((name) => this.lab.devices.find((each) => each.name === name)?.plainUrl);
    const peers = peer === undefined ? "" : `, peers: ["${peer}"]`;
    writeFileSync(
      join(this.folder, "plumbline.yaml"),
      `format: 1\nowner: us\ndocuments: [manager]\ntargets:\n  manager: { kind: panos, url: "${url}"${peers}, mode: enforce, credentials: { username: plumbline, password: "\${env:PW}" }${push === undefined ? "" : `, push: ${push}`} }\n`,
    );
  }

  /** Tags of the group above `branch`. */
  want(...tags: readonly string[]): void {
    const rows = tags.map((tag) => `${tag}: { comments: ours }`);
    writeFileSync(
      join(this.folder, "manager/all.yaml"),
      `target: manager\nscope: device-group/offices\nconfig: { tag: { ${rows.join(", ")} } }\n`,
    );
  }

  /** A document that wants a time zone in the template of the branch. */
  wantTimezone(): void {
    this.write(
      "net",
      "template/branch-net",
      "{ config: { devices: { localhost.localdomain: { deviceconfig: { system: { timezone: UTC } } } } } }",
    );
  }

  /** A document in addition to the tags. */
  write(name: string, scope: string, config: string): void {
    writeFileSync(join(this.folder, `manager/${name}.yaml`), `target: manager\nscope: ${scope}\nconfig: ${config}\n`);
  }

  #pass(state: string): PassOptions {
    return passOptions({
      targets: [],
      configurationFile: join(this.folder, "plumbline.yaml"),
      stateFolder: join(this.folder, state),
      ledger: join(this.folder, "ledger.json"),
      kinds: KINDS,
      environment: { PW: "plumbline" },
      machine: this.machine,
      allow: this.allow,
      ...(this.only === undefined ? {} : { only: parsePath(this.only) }),
      pushing: (_, course) => void this.courses.push(course),
    });
  }

  async reconcile(observer?: StepObserver, digests?: ReadonlyMap<string, string>, state = "state"): Promise<TargetOutcome> {
    const write = {
      takeover: false,
      lockTimeout: 10,
      sleep: (milliseconds: number) => setTimer(Math.min(milliseconds, 20)),
      observer,
      isWayBack: this.isWayBack,
      network: this.network,
      ...(digests === undefined ? {} : { digests }),
    };
    return only(await reconcileTargets(this.#pass(state), write, connections()));
  }

  async plan(): Promise<TargetOutcome> {
    return only(await planTargets(this.#pass("state"), connections()));
  }

  async drift(): Promise<TargetOutcome> {
    return only(await driftTargets(this.#pass("state"), connections()));
  }

  device(name: string): LabDevice {
    const found = this.lab.devices.find((each) => each.name === name);
    if (found === undefined) throw new Error(`no device ${name}`);
    return found.state;
  }

  /** The manager that pushes. */
  get manager(): RunningDevice {
    return this.lab.devices.find(({ name, state }) => name === "other" && state.haState === "active") ?? this.lab.device;
  }

  /** Alice sends a request to the manager. */
  alice(params: Readonly<Record<string, string>>): void {
    this.as("alice", params);
  }

  as(admin: string, params: Readonly<Record<string, string>>): void {
    const { status, message } = this.manager.act(admin, params);
    if (status !== "success") throw new Error(message);
  }

  /** Alice commits a tag on the manager without pushing it. */
  commitByHand(xpath: string, tag = "theirs"): void {
    this.alice({ type: "config", action: "set", xpath: `${xpath}/tag`, element: `<entry name="${tag}"/>` });
    this.alice({ type: "commit", cmd: "<commit/>" });
    this.alice({ type: "op", cmd: "<show><jobs><all/></jobs></show>" });
  }

  /** With templates, whatever default the manager has for a push that does not mention them. */
  pushByHand(...groups: readonly string[]): void {
    const whole = Object.fromEntries(groups.map((name) => [name, []]));
    this.alice({ type: "commit", action: "all", cmd: pushOf(whole, "<include-template>yes</include-template>") });
    for (let n = 0; n < 3; n++) this.alice({ type: "op", cmd: "<show><jobs><all/></jobs></show>" });
  }

  /** Push jobs of Plumbline: `validate` or `push` and the letters of the firewalls. */
  get pushes(): string[] {
    const letter = new Map<string, string>(Object.entries(SERIALS).map(([name, serial]) => [serial, name]));
    return ["manager", "other"]
      .flatMap((manager) => this.lab.devices.find(({ name }) => name === manager)?.state.pushes ?? [])
      .filter(({ admin }) => admin === "plumbline")
      .map(({ validateOnly, serials }) => `${validateOnly ? "validate" : "push"} ${serials.map((serial) => letter.get(serial)).join("")}`);
  }
}

/** Does something when a run comes to a step. */
export function whenAt(step: StepName, act: () => void): StepObserver {
  return { before: (name) => (name === step ? act() : undefined), after: () => undefined };
}

/** Ends a run before or after a step. */
export function killer(when: "before" | "after", step: StepName): StepObserver {
  const kill = (at: "before" | "after") => (name: StepName) => {
    if (at === when && name === step) throw new Error("killed");
  };
  return { before: kill("before"), after: kill("after") };
}

const nothing = (): void => undefined;
const QUIET = { debug: nothing, info: nothing, warn: nothing, error: nothing };

/** Waits of the clients are short: their jobs take no time here. */
function dependencies() {
  const clock = { now: () => Date.now(), sleep: (milliseconds: number) => setTimer(Math.min(milliseconds, 20)) };
  return { ...systemDependencies(QUIET), clock };
}

function connections(): Writers {
  const shared = dependencies();
  return {
    reader: (configuration: PanosTargetConfiguration) => openPanosReader(configuration, shared),
    writer: (configuration: PanosTargetConfiguration) => openPanosWriter(configuration, shared),
    guards: () => ({ management: () => undefined, meaning: () => undefined, neverPruned: () => false }),
  };
}

function only([outcome]: readonly TargetOutcome[]): TargetOutcome {
  if (outcome === undefined) throw new Error("no outcome");
  return outcome;
}
