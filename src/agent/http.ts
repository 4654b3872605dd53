import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { PlumblineError } from "../core/errors.js";
import { Proxies } from "./client.js";
import type { Health, HealthVerdict } from "./health.js";
import { HostNames } from "./host-names.js";
import { type ClientRequest, clientRequest } from "./http-request.js";
import { MAX_WEBHOOK_BYTES, type WebhookGate } from "./webhook.js";

export interface AgentServer {
  /** Base address. */
  readonly url: string;
  close(): Promise<void>;
}

/** Answers a GET request. */
export type Page = () => Promise<{ readonly type: string; readonly text: string }> | { readonly type: string; readonly text: string };

export interface AgentServerOptions {
  readonly host: string;
  /** 0 selects a free port. */
  readonly port: number;
  /** Accepted host names, in addition to `host`, IP addresses and loopback names. */
  readonly names?: readonly string[] | undefined;
  /** Addresses and networks of trusted proxies. */
  readonly trustProxy?: readonly string[] | undefined;
  readonly health: Health;
  /** Undefined without a webhook. */
  readonly gate: WebhookGate | undefined;
  /** Called when a delivery was accepted. */
  readonly onPush: () => void;
  /** Additional pages by path, such as `/metrics`. */
  readonly pages: ReadonlyMap<string, Page>;
  /** Handles paths that have no other handler. */
  readonly web?: Web | undefined;
}

export interface Web {
  /** Returns false for a path that it does not serve. */
  answer(request: IncomingMessage, response: ServerResponse, client: ClientRequest): Promise<boolean>;
  /** Refuses a client that may not see `pages`. Returns whether it has answered. */
  refuse(request: IncomingMessage, response: ServerResponse, client: ClientRequest): Promise<boolean>;
}

/** Serves `/healthz`, `/readyz`, `/webhook` and additional pages. @throws PlumblineError `agent-port-taken`, `option-invalid` */
export async function serveAgent(options: AgentServerOptions): Promise<AgentServer> {
  const names = new HostNames([options.host, ...(options.names ?? [])]);
  const proxies = new Proxies(options.trustProxy ?? []);
  const server = createServer((request, response) => {
    answer(request, response, options, { names, proxies }).catch(() => send(response, 500, "error\n"));
  });
  server.requestTimeout = 30_000;
  server.headersTimeout = 10_000;
  await new Promise<void>((resolve, reject) => {
    server.once("error", (cause: NodeJS.ErrnoException) => reject(notListening(options, cause)));
    server.listen(options.port, options.host, resolve);
  });
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://${options.host.includes(":") ? `[${options.host}]` : options.host}:${port}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

interface Surroundings {
  readonly names: HostNames;
  readonly proxies: Proxies;
}

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  options: AgentServerOptions,
  { names, proxies }: Surroundings,
): Promise<void> {
  const client = clientRequest(request, proxies);
  const { path, authority } = client;
  const isRead = request.method === "GET" || request.method === "HEAD";
  // These paths accept any host name. Deliveries are signed, and health checks of load balancers reveal nothing about the network.
  if (path === "/webhook") return await takeDelivery(request, response, options);
  if (isRead && path === "/healthz") return sendVerdict(response, options.health.live());
  if (isRead && path === "/readyz") return sendVerdict(response, options.health.ready());
  const stranger = names.stranger(request.headers) ?? (authority === undefined ? undefined : names.stranger({ host: authority }));
  if (stranger !== undefined) return send(response, 421, unknownHost(stranger));
  if (await options.web?.answer(request, response, client)) return;
  if (!isRead) return send(response, 405, "method not allowed\n");
  const page = options.pages.get(path);
  if (page === undefined) return send(response, 404, "not found\n");
  if (await options.web?.refuse(request, response, client)) return;
  await sendPage(response, page);
}

async function sendPage(response: ServerResponse, make: Page): Promise<void> {
  const page = await make();
  send(response, 200, page.text, page.type);
}

async function takeDelivery(request: IncomingMessage, response: ServerResponse, { gate, onPush }: AgentServerOptions): Promise<void> {
  if (gate === undefined) return send(response, 404, "no webhook is configured\n");
  if (request.method !== "POST") return send(response, 405, "method not allowed\n");
  const body = await bodyOf(request);
  if (body === undefined) return send(response, 413, "too large\n");
  const verdict = gate.judge(request.headers, body);
  if (verdict === "unsigned" || verdict === "wrong-signature") return send(response, 401, `${verdict}\n`);
  if (verdict === "replayed") return send(response, 409, "seen before\n");
  onPush();
  send(response, 202, "accepted\n");
}

/** Returns undefined if the body is too large for a delivery. */
async function bodyOf(request: IncomingMessage): Promise<Buffer | undefined> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > MAX_WEBHOOK_BYTES) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function unknownHost(name: string): string {
  return `The agent does not answer to the name "${name}".

If people reach it by that name, put it into agent.http.names of the plumbline.yaml that the agent is started with,
or into its variable PLUMBLINE_HTTP_NAMES (names with commas between), and start the agent again.
`;
}

function sendVerdict(response: ServerResponse, { ok, reasons }: HealthVerdict): void {
  send(response, ok ? 200 : 503, ok ? "ok\n" : `${reasons.join("\n")}\n`);
}

function send(response: ServerResponse, status: number, text: string, type = "text/plain; charset=utf-8"): void {
  if (response.headersSent) return void response.end();
  response.writeHead(status, {
    "content-type": type,
    "x-content-type-options": "nosniff",
    "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
    "content-length": Buffer.byteLength(text),
    connection: status === 413 ? "close" : "keep-alive",
  });
  response.end(text);
}

function notListening({ host, port }: AgentServerOptions, cause: NodeJS.ErrnoException): PlumblineError {
  return new PlumblineError("agent-port-taken", `The agent cannot listen on ${host}:${port} (${cause.code ?? cause.message}).`, {
    next: "Give it another one with agent.http.port or --port; 0 takes a free one.",
    cause,
  });
}
