import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { type Clock, systemClock } from "../panos/clock.js";
import { authenticate } from "./access/authenticate.js";
import type { AaaMode, TokenChecker } from "./access/token.js";
import type { ContrailFault } from "./faults/fault.js";
import { ContrailFaults } from "./faults/faults.js";
import { after, before } from "./faults/meet.js";
import type { Call, Gate } from "./http/call.js";
import { dispatch } from "./http/dispatch.js";
import { type ContrailReply, refusal, text } from "./http/reply.js";
import { baseOf, type ContrailRequest, readRequest } from "./http/request.js";
import { send } from "./http/send.js";
import { serveWatch, watchedTypes } from "./http/watch.js";
import type { ContrailJournalEntry } from "./journal.js";
import { ControllerError } from "./world/controller-error.js";
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

/** Starts a lab controller (facts/contrail.md) in this process. Resolves when it answers; rejects where the port is taken. */
export async function startContrailLab(options: ContrailLabOptions = {}): Promise<RunningContrailLab> {
  const clock = options.clock ?? systemClock;
  const lab: Lab = {
    clock,
    world: options.world ?? new ContrailWorld({ clock }),
    gate: { mode: options.aaaMode ?? "no-auth" },
    checkToken: options.checkToken,
    maxBytes: options.maxRequestBytes ?? MAX_REQUEST,
    faults: new ContrailFaults(),
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
    release: () => lab.faults.release(),
    close: () => {
      lab.faults.release();
      return close(server);
    },
  };
}

interface Lab {
  readonly clock: Clock;
  readonly world: ContrailWorld;
  readonly gate: Gate;
  readonly checkToken: TokenChecker | undefined;
  readonly maxBytes: number;
  readonly faults: ContrailFaults;
  readonly journal: ContrailJournalEntry[];
}

async function serve(lab: Lab, incoming: IncomingMessage, response: ServerResponse): Promise<void> {
  const request = await readRequest(incoming, lab.maxBytes);
  if (request === undefined) {
    await send(response, refusal(new ControllerError(413, "Request too large", "page"), baseOf(incoming), incoming.url ?? "/"));
    return;
  }
  const entry = note(lab, request);
  const effects = lab.faults.meet(request);
  entry.faults.push(...effects.map(({ kind }) => kind));
  const meeting = { faults: lab.faults, clock: lab.clock, response, entry, effects };
  if ((await before(meeting)) === "answered") return;
  const reply = await answer(lab, request, entry, response);
  if (reply === undefined) return;
  entry.executed = true;
  entry.status = reply.status;
  if ((await after(meeting, reply)) === "answered") return;
  entry.reply = (await send(response, reply)) ? "sent" : "none";
}

/** The reply, or undefined where the call turned into a stream of events. */
async function answer(
  lab: Lab,
  request: ContrailRequest,
  entry: ContrailJournalEntry,
  response: ServerResponse,
): Promise<ContrailReply | undefined> {
  try {
    const caller = await authenticate(lab.gate.mode, lab.checkToken, request.token, request.path);
    entry.user = caller.user;
    const call: Call = { world: lab.world, caller, request, gate: lab.gate };
    if (request.path !== "/watch" || request.method !== "GET") return dispatch(call);
    const types = watchedTypes(request);
    Object.assign(entry, { executed: true, status: 200, reply: "sent" });
    serveWatch(lab.world, types, response);
    return undefined;
  } catch (error) {
    if (error instanceof ControllerError) return refusal(error, request.base, request.url);
    throw error;
  }
}

function note({ clock, journal }: Lab, { method, url, body }: ContrailRequest): ContrailJournalEntry {
  const entry: ContrailJournalEntry = {
    n: journal.length + 1,
    time: clock.now(),
    method,
    url,
    body,
    user: "",
    executed: false,
    status: undefined,
    reply: "pending",
    faults: [],
  };
  journal.push(entry);
  return entry;
}

/** A fault of the lab itself: never hidden as the controller's answer. */
function fail(response: ServerResponse, error: unknown): void {
  if (response.headersSent || response.destroyed) {
    response.destroy();
    return;
  }
  void send(response, text(500, `internal error of the lab: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`));
}

function listen(server: Server, host: string, port: number): Promise<string> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
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
