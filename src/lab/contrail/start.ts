import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { HeldRequests } from "../faults/held-requests.js";
import { refusedPort } from "../http/refused-port.js";
import { type Clock, systemClock } from "../panos/clock.js";
import type { AaaMode, TokenChecker } from "./access/token.js";
import type { ContrailFault } from "./faults/fault.js";
import { ContrailFaults } from "./faults/faults.js";
import type { Gate, NetworkFields } from "./http/call.js";
import { fail, type Lab, serve } from "./http/serve.js";
import type { ContrailJournalEntry } from "./journal.js";
import { ContrailWorld } from "./world/world.js";

export interface ContrailLabOptions {
  /** Default: 8082, the controller's port. 0: a free one. */
  readonly port?: number;
  /** Default: 127.0.0.1. */
  readonly host?: string;
  /** A world that other services share, such as the OpenStack lab. Default: a new one. */
  readonly world?: ContrailWorld;
  readonly clock?: Clock;
  /** Default: `no-auth`. */
  readonly aaaMode?: AaaMode;
  /** Validates tokens. Without it, all tokens are invalid. */
  readonly checkToken?: TokenChecker;
  /** Maximum size of a request in bytes. Default: 1,024,000. */
  readonly maxRequestBytes?: number;
  /**
   * Fields of a virtual network in a read: those that were set, as recorded controllers answer, or all fields of the specification.
   * Default: those that were set.
   */
  readonly networkFields?: NetworkFields;
}

export interface RunningContrailLab {
  readonly url: string;
  /** The configuration database, for tests and for other services of the same world. */
  readonly world: ContrailWorld;
  /** All requests in the order of arrival. */
  readonly journal: readonly ContrailJournalEntry[];
  /** Authentication mode. Tests may change it. */
  readonly gate: Gate;
  /** Arms a fault for matching requests. */
  fault(fault: ContrailFault): void;
  clearFaults(): void;
  /** Releases requests that a `hold` fault stopped. */
  release(): void;
  close(): Promise<void>;
}

const PORT = 8082;
const MAX_REQUEST = 1_024_000;

/** Starts a lab controller (docs/contributing/devices/contrail.md) in this process. Resolves once it answers. Rejects if the port is in use. */
export async function startContrailLab(options: ContrailLabOptions = {}): Promise<RunningContrailLab> {
  const clock = options.clock ?? systemClock;
  const lab: Lab = {
    clock,
    world: options.world ?? new ContrailWorld({ clock }),
    networkFields: options.networkFields ?? "given",
    gate: { mode: options.aaaMode ?? "no-auth" },
    checkToken: options.checkToken,
    maxBytes: options.maxRequestBytes ?? MAX_REQUEST,
    faults: new ContrailFaults(),
    held: new HeldRequests<ContrailJournalEntry>(),
    journal: [],
  };
  const server = createServer((incoming, response) => {
    serve(lab, incoming, response).catch((error: unknown) => fail(response, error));
  });
  const url = await listen(server, options.host ?? "127.0.0.1", options.port ?? PORT);
  return {
    url,
    world: lab.world,
    journal: lab.journal,
    gate: lab.gate,
    fault: (fault) => lab.faults.add(fault),
    clearFaults: () => lab.faults.clear(),
    release: () => lab.held.release(),
    close: () => {
      lab.held.release();
      return close(server);
    },
  };
}

function listen(server: Server, host: string, port: number): Promise<string> {
  return new Promise((resolve, reject) => {
    server.once("error", (cause) => reject(refusedPort(cause, host, port)));
    server.listen(port, host, () => {
      const name = host.includes(":") ? `[${host}]` : host;
      resolve(`http://${name}:${(server.address() as AddressInfo).port}`);
    });
  });
}

function close(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}
