import { createServer as createPlain, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from "node:http";
import { createServer as createSecure } from "node:https";
import type { AddressInfo } from "node:net";
import { refusedPort } from "../../http/refused-port.js";
import { watchTransports } from "../../http/transports.js";
import type { LabCertificate } from "../../panos/http/certificate.js";
import { readBody } from "../../panos/http/parse-request.js";
import { dispatch } from "../dispatch.js";
import { after, before, type Meeting } from "../faults/meet.js";
import type { LabCore } from "../lab-core.js";
import type { Service } from "../options.js";
import type { Json } from "../world/json.js";
import { control } from "./control.js";
import { json } from "./reply.js";
import { partsOf, type ServiceRequest } from "./request.js";
import { send } from "./send.js";

export interface Listener {
  readonly url: string;
  close(): Promise<void>;
}

const MAX_REQUEST = 1024 * 1024;

/** Serves one service. Uses TLS if there is a certificate. */
export function listen(
  core: LabCore,
  service: Service,
  certificate: LabCertificate | undefined,
  host: string,
  port: number,
): Promise<Listener> {
  const listener: RequestListener = (incoming, response) => {
    serve(core, service, incoming, response).catch((error: unknown) => fail(response, error));
  };
  const server =
    certificate === undefined ? createPlain(listener) : createSecure({ cert: certificate.certPem, key: certificate.keyPem }, listener);
  if (certificate !== undefined) watchTransports(server);
  return new Promise((resolve, reject) => {
    server.once("error", (cause) => reject(refusedPort(cause, host, port)));
    server.listen(port, host, () => {
      const address = server.address() as AddressInfo;
      const name = host.includes(":") ? `[${host}]` : host;
      const url = `${certificate === undefined ? "http" : "https"}://${name}:${address.port}`;
      resolve({ url, close: () => close(server) });
    });
  });
}

async function serve(core: LabCore, service: Service, incoming: IncomingMessage, response: ServerResponse): Promise<void> {
  const url = new URL(incoming.url ?? "/", "http://lab");
  const body = await readBody(incoming, MAX_REQUEST);
  if (body === undefined) {
    await send(response, json(413, { error: { code: 413, message: "Request is too large.", title: "Request Entity Too Large" } }));
    return;
  }
  if (url.pathname.startsWith("/lab/")) {
    await send(response, control(core, incoming.method ?? "GET", url.pathname.slice(5), body));
    return;
  }
  const request: ServiceRequest = {
    service,
    method: incoming.method ?? "GET",
    path: partsOf(url.pathname),
    rawPath: url.pathname,
    query: url.searchParams,
    headers: Object.fromEntries(Object.entries(incoming.headers).map(([name, value]) => [name, Array.isArray(value) ? value[0] : value])),
    body: parse(body),
    hasBody: body.length > 0,
    linkBase: core.options.linkBase ?? core.urls[service],
    requestId: core.requestId(),
  };
  await exchange(core, request, response);
}

function parse(body: Buffer): Json | undefined {
  if (body.length === 0) return null;
  try {
    return JSON.parse(body.toString("utf8")) as Json;
  } catch {
    return undefined;
  }
}

/** Reports an internal error of the lab. The text shows that the error is not a service's. */
function fail(response: ServerResponse, error: unknown): void {
  if (response.headersSent || response.destroyed) {
    response.destroy();
    return;
  }
  const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
  response.writeHead(500, { "content-type": "text/plain" });
  response.end(`the lab failed: ${text}`);
}

function close(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}

/** One call from arrival to the last byte of its reply, with the faults that meet it. */
async function exchange(core: LabCore, request: ServiceRequest, response: ServerResponse): Promise<void> {
  const entry = core.note(request);
  const effects = core.faults.meet({ request, user: entry.user });
  for (const effect of effects) entry.faults.push(effect.kind);
  response.setHeader("x-openstack-request-id", request.requestId);
  if (request.service === "compute" || request.service === "volume") response.setHeader("x-compute-request-id", request.requestId);
  if (request.service === "identity") response.setHeader("vary", "X-Auth-Token");
  const meeting: Meeting = { core, request, response, entry, effects, clock: core.world.clock, hold: () => core.held.hold(entry) };
  if ((await before(meeting)) === "answered") return;
  const reply = dispatch(core, request, effects);
  entry.executed = true;
  entry.status = reply.status;
  entry.message = reply.message;
  if ((await after(meeting, reply)) === "answered") return;
  entry.reply = (await send(response, reply)) ? "sent" : "none";
}
