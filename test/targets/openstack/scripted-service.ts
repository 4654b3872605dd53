import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";
import { closing } from "./fixtures.js";

export interface Asked {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

export interface Answer {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** JSON, unless it is text. */
  readonly body?: unknown;
}

export interface ScriptedService {
  readonly url: string;
  readonly asked: Asked[];
  /** Maximum number of concurrent requests. */
  readonly busiest: () => number;
  close(): Promise<void>;
}

/** A service with scripted replies on a free port. Closed after the test. */
export async function scriptedService(script: (asked: Asked) => Answer | Promise<Answer>): Promise<ScriptedService> {
  const asked: Asked[] = [];
  let open = 0;
  let busiest = 0;
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    open++;
    busiest = Math.max(busiest, open);
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    const answer = async (): Promise<void> => {
      const one = {
        method: request.method ?? "",
        path: request.url ?? "",
        headers: request.headers,
        body: Buffer.concat(chunks).toString(),
      };
      asked.push(one);
      const { status = 200, headers = {}, body } = await script(one);
      const isText = typeof body === "string";
      open--;
      response.writeHead(status, { "content-type": isText ? "text/plain" : "application/json", ...headers });
      response.end(body === undefined ? "" : isText ? body : JSON.stringify(body));
    };
    request.on("end", () => void answer());
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const close = async (): Promise<void> => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  };
  return closing({ url, asked, busiest: () => busiest, close });
}
