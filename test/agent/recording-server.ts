import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

export interface Arrived {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

/** Accepts and records all requests. Answers 200 unless `answers` returns a reply. */
export class RecordingServer {
  readonly arrived: Arrived[] = [];
  /** Taken one by one; `drop` hangs up. */
  readonly answers: (number | "drop")[] = [];
  #waiting: (() => void)[] = [];
  readonly #server = createServer((request, response) => void this.#answer(request, response));

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const { method = "", url: path = "", headers } = request;
    const answer = this.answers.shift() ?? 200;
    this.arrived.push({ method, path, headers, text: Buffer.concat(chunks).toString("utf8") });
    if (answer === "drop") response.destroy();
    else response.writeHead(answer, { "content-type": "application/json" }).end("{}");
    for (const wake of this.#waiting.splice(0)) wake();
  }

  static async start(): Promise<RecordingServer> {
    const server = new RecordingServer();
    await new Promise<void>((ready) => server.#server.listen(0, "127.0.0.1", ready));
    return server;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** Resolves when `count` requests have come. */
  async until(count: number): Promise<void> {
    while (this.arrived.length < count) await new Promise<void>((wake) => this.#waiting.push(wake));
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((done) => this.#server.close(done));
  }
}
