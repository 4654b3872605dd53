import { Lazy } from "../../core/lazy.js";
import type { TargetMemory } from "../../engine/target-memory.js";
import type { Identity, PendingChange } from "../../plan/platform.js";
import { capabilitiesOf, type PanosCapabilities, readDeviceAnswers, type Trials } from "./capabilities.js";
import { type Answer, choosePeer, readIdentity } from "./choose-peer.js";
import { PanosClient } from "./client/client.js";
import type { PanosDependencies, PanosOptions } from "./dependencies.js";
import type { PanosTargetConfiguration } from "./settings.js";
import { readSystemInfo } from "./system-info.js";

export interface OpenSession {
  readonly client: PanosClient;
  readonly identity: Identity;
  readonly devices: readonly string[];
  readonly capabilities: PanosCapabilities;
  readonly multiVsys: boolean;
  readonly isSynchronized?: boolean | undefined;
  /** Uncommitted changes when the device was opened, if it lists them. Only the first `open` returns them. */
  readonly pending?: readonly PendingChange[] | undefined;
}

/**
 * Connections of one target. The first `open` chooses the device (in a pair, the active one) and probes its capabilities. Later calls read
 * the identity of the same device again: a failover is detected, but the session never switches to the other device.
 */
export class PanosSession {
  readonly #configuration: PanosTargetConfiguration;
  readonly #dependencies: PanosDependencies;
  readonly #clients: readonly PanosClient[];
  readonly #opened = new Lazy(() => this.#openFirst());
  #memory: TargetMemory | undefined;
  #recalled = "";
  /** Number of commands that the device did not know when it was opened. */
  #unknownAtFirst = 0;

  constructor(configuration: PanosTargetConfiguration, dependencies: PanosDependencies, options: PanosOptions) {
    this.#configuration = configuration;
    this.#dependencies = dependencies;
    this.#clients = [configuration.url, ...configuration.peers].map((address) =>
      PanosClient.at(address, configuration, dependencies, options),
    );
  }

  /** The chosen device, in its state when it was opened. */
  current(): Promise<OpenSession> {
    return this.#opened.get();
  }

  /** The chosen device. A single address needs no choice. */
  async chosen(): Promise<PanosClient> {
    return this.only ?? (await this.current()).client;
  }

  /** Loads what an earlier process learned about the device. Called before the first request. */
  async recall(memory: TargetMemory | undefined): Promise<void> {
    if (memory === undefined || this.#memory !== undefined) return;
    this.#memory = memory;
    this.#recalled = await memory.read();
    this.#dependencies.devices.recall(this.#recalled);
  }

  /** The chosen device, with its current identity and role. */
  async open(): Promise<OpenSession> {
    if (this.#opened.made === undefined) return this.current();
    const known = await this.#opened.made;
    const { identity, isSynchronized } = await readIdentity(known.client);
    return { ...known, identity, isSynchronized, pending: undefined };
  }

  /** Reads the system information of the device, or of both peers of a pair, of which one must answer. */
  async probe(): Promise<void> {
    const replies = await Promise.allSettled(this.#clients.map(readSystemInfo));
    const failed = replies.flatMap((outcome) => (outcome.status === "rejected" ? [outcome.reason] : []));
    if (failed.length === replies.length) throw failed[0];
  }

  async close(): Promise<void> {
    await Promise.all(this.#clients.map((client) => client.close()));
    await this.#noteDevices();
  }

  /** If a device did not know a command that it was assumed to know, the memory is cleared so that the next process probes it again. */
  async #noteDevices(): Promise<void> {
    const opened = await this.#opened.made?.catch(() => undefined);
    if (this.#memory === undefined || opened === undefined) return;
    const isDoubtful = opened.client.unknownCommands > this.#unknownAtFirst;
    const boxes = this.#clients.map(({ box }) => box);
    const known = isDoubtful ? "" : this.#dependencies.devices.textOf(boxes);
    if (known !== this.#recalled) await this.#memory.write(known);
  }

  async #openFirst(): Promise<OpenSession> {
    this.#warnOfOpenDoors();
    const { logger } = this.#dependencies;
    // With a single address, the capabilities are probed in parallel with the identity. In a pair, only the active peer is probed.
    const trials = this.only === undefined ? undefined : this.#runTrials(this.only);
    trials?.catch(() => undefined);
    const answer: Answer = await choosePeer(this.#clients, this.#configuration, logger);
    const { client, info, identity, devices } = answer;
    const { answers, pending } = await this.#trialsOf(answer, await (trials ?? this.#runTrials(client)));
    this.#unknownAtFirst = client.unknownCommands;
    const capabilities = capabilitiesOf(answers, info, this.#configuration);
    logger.debug({ target: this.#configuration.name, ...identity, ...capabilities }, "opened the device");
    if (!capabilities.show) {
      logger.warn(
        { target: this.#configuration.name },
        `${client.place.origin} cannot show its running configuration: its candidate is compared instead`,
      );
    }
    return { client, identity, devices, capabilities, multiVsys: info.get("multi-vsys") === "on", pending };
  }

  /** The only device, if the target has a single address. */
  get only(): PanosClient | undefined {
    return this.#clients.length === 1 ? this.#clients[0] : undefined;
  }

  #runTrials(client: PanosClient): Promise<Trials> {
    return readDeviceAnswers(client, this.#dependencies.devices.lastSeen(client.box));
  }

  /** The supported commands of this device. Probed completely if another device or version was known at its address. */
  async #trialsOf({ client, identity }: Answer, trials: Trials): Promise<Trials> {
    const { devices } = this.#dependencies;
    const { box } = client;
    const isKnown = devices.lastSeen(box) === undefined || devices.holds(box, identity);
    const sure = isKnown ? trials : await readDeviceAnswers(client);
    devices.remember(box, identity, sure.answers);
    return sure;
  }

  #warnOfOpenDoors(): void {
    const { name, tls } = this.#configuration;
    for (const { place } of this.#clients) {
      if (place.origin.startsWith("http:")) {
        this.#dependencies.logger.warn(
          { target: name },
          `${place.origin} does not use encryption: keys and secrets can be read on the network`,
        );
      } else if (tls.insecure) {
        this.#dependencies.logger.warn({ target: name }, `${place.origin} is not verified (tls.insecure): anybody may answer in its place`);
      }
    }
  }
}
