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
  /** 8082 when left out, as the controller listens; 0 takes a free one. */
  readonly port?: number;
  /** 127.0.0.1 when left out. */
  readonly host?: string;
  /** A world that others write to as well, as the OpenStack lab does; a new one when left out. */
  readonly world?: ContrailWorld;
  readonly clock?: Clock;
  /** `no-auth` when left out. */
  readonly aaaMode?: AaaMode;
  /** Says who a token is; without it no token is good. */
  readonly checkToken?: TokenChecker;
  /** Bytes of a request at most; 1,024,000 when left out. */
  readonly maxRequestBytes?: number;
  /**
   * Which fields a read of a virtual network has: those that it was given, as recorded controllers answer, or all that the
   * specification shows. The recorded ones when left out.
   */
  readonly networkFields?: NetworkFields;
}

export interface RunningContrailLab {
  readonly url: string;
  /** The configuration database itself: for tests, and for another service of the same world. */
  readonly world: ContrailWorld;
  /** Every request in the order of arrival. */
  readonly journal: readonly ContrailJournalEntry[];
  /** How requests are let in; may be set. */
  readonly gate: Gate;
  /** Arms a fault for the requests that it matches. */
  fault(fault: ContrailFault): void;
  clearFaults(): void;
  /** Lets requests go on that a `hold` fault stopped. */
  release(): void;
  close(): Promise<void>;
}

const PORT = 8082;
const MAX_REQUEST = 1_024_000;

/** Starts a lab controller (docs/devices/contrail.md) in this process. Resolves when it answers; rejects where the port is taken. */
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
