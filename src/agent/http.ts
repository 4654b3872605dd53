import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { PlumblineError } from "../errors.js";
import type { Health, Verdict } from "./health.js";
import { MAX_WEBHOOK_BYTES, type WebhookGate } from "./webhook.js";

export interface AgentServer {
  /** Base address. */
  readonly url: string;
  close(): Promise<void>;
}

/** Answers one GET; the text goes out as it is. */
export type Page = () => Promise<{ readonly type: string; readonly text: string }> | { readonly type: string; readonly text: string };

export interface AgentServerOptions {
  readonly host: string;
  /** 0 takes a free one. */
  readonly port: number;
  readonly health: Health;
  /** Undefined: there is no webhook. */
  readonly gate: WebhookGate | undefined;
  /** A delivery was accepted. */
  readonly onPush: () => void;
  /** Further pages by path, such as `/metrics`. */
  readonly pages: ReadonlyMap<string, Page>;
  /** Answers what nothing else here does; gives false for what is not its own. */
  readonly web?: Web | undefined;
}

export type Web = (request: IncomingMessage, response: ServerResponse) => Promise<boolean>;

/** `/healthz`, `/readyz`, `/webhook`, and what others add. @throws PlumblineError `agent-port-taken` */
export async function serveAgent(options: AgentServerOptions): Promise<AgentServer> {
  const server = createServer((request, response) => {
    answer(request, response, options).catch(() => send(response, 500, "error\n"));
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

async function answer(request: IncomingMessage, response: ServerResponse, options: AgentServerOptions): Promise<void> {
  const path = (request.url ?? "/").split("?")[0] ?? "/";
  if (path === "/webhook") return await takeDelivery(request, response, options);
  if (await options.web?.(request, response)) return;
  if (request.method !== "GET" && request.method !== "HEAD") return send(response, 405, "method not allowed\n");
  if (path === "/healthz") return sendVerdict(response, options.health.live());
  if (path === "/readyz") return sendVerdict(response, options.health.ready());
  const page = await options.pages.get(path)?.();
  if (page === undefined) return send(response, 404, "not found\n");
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

/** Undefined where it is larger than any delivery. */
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

function sendVerdict(response: ServerResponse, { ok, reasons }: Verdict): void {
  send(response, ok ? 200 : 503, ok ? "ok\n" : `${reasons.join("\n")}\n`);
}

function send(response: ServerResponse, status: number, text: string, type = "text/plain; charset=utf-8"): void {
  if (response.headersSent) return void response.end();
  response.writeHead(status, {
    "content-type": type,
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
