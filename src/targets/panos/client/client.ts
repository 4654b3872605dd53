import type { PlumblineError } from "../../../core/errors.js";
import type { ServerOrigin } from "../../../http/transport-errors.js";
import type { PanosDependencies, PanosOptions } from "../dependencies.js";
import type { PanosTargetConfiguration } from "../settings.js";
import { deviceError } from "./device-errors.js";
import type { DeviceReply } from "./reply.js";
import { type PanosRequest, through, xpathOf } from "./request.js";
import { PanosTransport } from "./transport.js";

/**
 * Runs commands on one device, and checks the replies. `commands.ts` lists the commands. No other folder sends requests: the transport
 * is private.
 */
export class PanosClient {
  readonly #transport: PanosTransport;
  readonly #firewall: string | undefined;

  private constructor(transport: PanosTransport, firewall?: string) {
    this.#transport = transport;
    this.#firewall = firewall;
  }

  /** Returns a client of the device at `address`. Sends nothing. */
  static at(address: string, configuration: PanosTargetConfiguration, dependencies: PanosDependencies, options: PanosOptions): PanosClient {
    return new PanosClient(new PanosTransport(address, configuration, dependencies, options));
  }

  /** Returns a client whose commands this manager relays to a firewall. It shares the connections. */
  firewall(serial: string): PanosClient {
    return new PanosClient(this.#transport, serial);
  }

  get place(): ServerOrigin {
    return this.#transport.place;
  }

  /** Identifies the device: its address, or the address of its manager and its serial number. */
  get box(): string {
    return this.#transport.box;
  }

  /** Number of replies that reported an unknown command. */
  get unknownCommands(): number {
    return this.#transport.unknownCommands;
  }

  /** Runs a command. Throws the device's refusal as a typed error. */
  async run(command: PanosRequest): Promise<DeviceReply> {
    return this.#accepted(await this.attempt(command), command);
  }

  /** Like `run`, but returns undefined if the device does not support the command. */
  async runIfSupported(command: PanosRequest): Promise<DeviceReply | undefined> {
    const reply = await this.attempt(command);
    return reply.outcome === "unsupported" ? undefined : this.#accepted(reply, command);
  }

  /** Like `run`, but returns undefined if the device reports that the node does not exist. `onBody` receives the bytes of the reply. */
  async runIfPresent(command: PanosRequest, onBody?: (body: Buffer) => void): Promise<DeviceReply | undefined> {
    const reply = await this.#transport.send(this.#addressed(command), onBody);
    return reply.outcome === "absent" ? undefined : this.#accepted(reply, command);
  }

  /** Runs a command and returns the reply, also if the device refuses. For callers that handle a refusal. */
  async attempt(command: PanosRequest): Promise<DeviceReply> {
    return await this.#transport.send(this.#addressed(command));
  }

  /** Runs a read once and returns the unparsed bytes of the reply. Undefined if it is not a complete, successful reply. */
  async readBytes(command: PanosRequest): Promise<Buffer | undefined> {
    return await this.#transport.sendForBytes(this.#addressed(command));
  }

  /** Converts a refusal to an error. `xpath` is the subject of the command. */
  refusal(reply: DeviceReply, xpath?: string): PlumblineError {
    return deviceError(reply, this.place, xpath);
  }

  async close(): Promise<void> {
    await this.#transport.close();
  }

  #addressed(command: PanosRequest): PanosRequest {
    return this.#firewall === undefined ? command : through(this.#firewall, command);
  }

  #accepted(reply: DeviceReply, command: PanosRequest): DeviceReply {
    if (reply.outcome === "done") return reply;
    throw this.refusal(reply, xpathOf(command));
  }
}
