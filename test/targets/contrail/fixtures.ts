import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from "node:http";
import { createServer as createTlsServer } from "node:https";
import type { AddressInfo } from "node:net";
import { Pool } from "undici";
import type { JsonObject } from "../../../src/core/json/value.js";
import { SecretValue } from "../../../src/core/secret.js";
import type { HttpDependencies } from "../../../src/http/dependencies.js";
import { type ContrailLabOptions, type RunningContrailLab, startContrailLab } from "../../../src/lab/contrail/start.js";
import { ContrailClient } from "../../../src/targets/contrail/client/client.js";
import type { ContrailConnection, TokenSource } from "../../../src/targets/contrail/client/connection.js";
import { afterTest } from "../../after-test.js";

/** A lab controller on a free port, with the project `demo`; closed after the test. */
export async function startLab(options: ContrailLabOptions = {}): Promise<RunningContrailLab> {
  const lab = await startContrailLab({ ...options, port: 0 });
  afterTest(() => lab.close());
  lab.world.create("project", { fq_name: ["default-domain", "demo"], parent_type: "domain" });
  return lab;
}

export function connection(url: string, overrides: Partial<ContrailConnection> = {}): ContrailConnection {
  return { name: "fabric", url, auth: { kind: "none" }, tls: { insecure: false }, timeout: 5, ...overrides };
}

export interface TestDependencies extends HttpDependencies {
  /** Everything that was logged, as one would read it. */
  readonly logged: string[];
  readonly warned: string[];
  /** Milliseconds of each sleep. */
  readonly slept: number[];
}

/** A clock that never waits: sleeping moves it on. */
export function dependencies(): TestDependencies {
  const logged: string[] = [];
  const slept: number[] = [];
  const warned: string[] = [];
  let now = 1_000;
  const log = (fields: Readonly<Record<string, unknown>>, message: string): void =>
    void logged.push(`${message} ${JSON.stringify(fields)}`);
  return {
    logged,
    warned,
    slept,
    clock: {
      now: () => now,
      sleep: async (milliseconds) => {
        slept.push(milliseconds);
        now += milliseconds;
      },
    },
    random: () => 0.5,
    logger: {
      debug: log,
      warn: (fields, message) => {
        warned.push(message);
        log(fields, message);
      },
    },
    dispatcher: (origin, options) => new Pool(origin, options),
  };
}

/** A client that ends with the test. */
export function clientOf(
  url: string,
  overrides: Partial<ContrailConnection> = {},
  injected: HttpDependencies = dependencies(),
): ContrailClient {
  const client = new ContrailClient(connection(url, overrides), injected);
  afterTest(() => client.close());
  return client;
}

/** Hands out `token-1`, and after each renewal the next one. */
export function tokens(): TokenSource & { renewals: number } {
  const source = {
    renewals: 0,
    token: async () => new SecretValue(`token-${source.renewals + 1}`, "«token»"),
    renew: async () => {
      source.renewals++;
      return await source.token();
    },
  };
  return source;
}

export interface Asked {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingMessage["headers"];
  readonly body: string;
}

export interface Answer {
  readonly status?: number;
  readonly type?: string;
  readonly body?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** The connection breaks instead. */
  readonly drop?: true;
}

/** A server that answers by a script; closed after the test. */
export async function scripted(
  script: (asked: Asked, count: number) => Answer | Promise<Answer>,
  tls?: { readonly key: string; readonly cert: string },
) {
  const asked: Asked[] = [];
  const answer = async (incoming: IncomingMessage, response: ServerResponse): Promise<void> => {
    const chunks: Buffer[] = [];
    for await (const chunk of incoming) chunks.push(chunk as Buffer);
    const seen = {
      method: incoming.method ?? "",
      url: incoming.url ?? "",
      headers: incoming.headers,
      body: Buffer.concat(chunks).toString(),
    };
    asked.push(seen);
    const { status = 200, type = "application/json", body = "", headers = {}, drop } = await script(seen, asked.length);
    if (drop === true) {
      incoming.socket.resetAndDestroy();
      return;
    }
    response.writeHead(status, { "content-type": type, ...headers });
    response.end(status === 304 ? undefined : body);
  };
  const listener: RequestListener = (incoming, response) => void answer(incoming, response);
  const server = tls === undefined ? createServer(listener) : createTlsServer(tls, listener);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  afterTest(
    () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  );
  return { url: `${tls === undefined ? "http" : "https"}://127.0.0.1:${(server.address() as AddressInfo).port}`, asked };
}

export const HTML = "text/html; charset=UTF-8";
export const IPAM = ["default-domain", "default-project", "default-network-ipam"];

/** The document of a network of project `demo` with one subnet a CIDR. */
export function networkDocument(name: string, ...cidrs: string[]): JsonObject {
  return {
    fq_name: ["default-domain", "demo", name],
    parent_type: "project",
    network_ipam_refs: cidrs.length === 0 ? [] : [{ to: [...IPAM], attr: { ipam_subnets: cidrs.map(subnetOf) } }],
  };
}

function subnetOf(cidr: string): JsonObject {
  const [prefix = "", length = ""] = cidr.split("/");
  return { subnet: { ip_prefix: prefix, ip_prefix_len: Number(length) } };
}
