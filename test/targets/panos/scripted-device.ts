import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from "node:http";
import { createServer as createTlsServer } from "node:https";
import type { AddressInfo, Socket } from "node:net";
import { afterTest } from "../../after-test.js";

/** One request as received by the device. */
export interface Asked {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingMessage["headers"];
  readonly params: URLSearchParams;
  /** `type/action` or the operational command. */
  readonly call: string;
}

/** The device's behavior: XML with status 200, a complete reply, or a fault of the connection. */
export type Answer =
  | string
  | { readonly http?: number; readonly type?: string; readonly body: string | Buffer; readonly length?: number }
  | "drop"
  | { readonly raw: string }
  | "hang";

export type Script = (asked: Asked, count: number) => Answer;

export interface ScriptedDevice {
  readonly url: string;
  readonly asked: Asked[];
  /** Maximum number of concurrent requests. */
  readonly busiest: () => number;
  readonly sockets: () => number;
  script: Script;
}

/** A device on a free port of loopback that answers by a script; closed after each test. */
export async function scriptedDevice(
  script: Script,
  tls?: { readonly key: string; readonly cert: string },
  pause = 0,
): Promise<ScriptedDevice> {
  const asked: Asked[] = [];
  const sockets = new Set<Socket>();
  let opened = 0;
  let open = 0;
  let busiest = 0;
  const listener: RequestListener = (request, response) => {
    void collect(request).then(async (seen) => {
      asked.push(seen);
      busiest = Math.max(busiest, ++open);
      if (pause > 0) await new Promise((resolve) => setTimeout(resolve, pause));
      open--;
      answer(response, device.script(seen, asked.filter(({ call }) => call === seen.call).length));
    });
  };
  const server = tls === undefined ? createServer(listener) : createTlsServer(tls, listener);
  server.on("connection", (socket: Socket) => {
    opened++;
    sockets.add(socket);
    socket.on("error", () => undefined).on("close", () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const device: ScriptedDevice = {
    url: `${tls === undefined ? "http" : "https"}://127.0.0.1:${port}`,
    asked,
    busiest: () => busiest,
    sockets: () => opened,
    script,
  };
  afterTest(
    () =>
      new Promise<void>((resolve) => {
        for (const socket of sockets) socket.destroy();
        server.close(() => resolve());
      }),
  );
  return device;
}

async function collect(request: IncomingMessage): Promise<Asked> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const [path = "", query = ""] = (request.url ?? "").split("?");
  const params = new URLSearchParams(request.method === "POST" ? Buffer.concat(chunks).toString() : query);
  const type = params.get("type") ?? "";
  const call = type === "op" ? (params.get("cmd") ?? "") : [type, params.get("action")].filter(Boolean).join("/");
  return { method: request.method ?? "", path, headers: request.headers, params, call };
}

function answer(response: ServerResponse, what: Answer): void {
  if (what === "hang") return;
  if (what === "drop") {
    response.socket?.destroy();
    return;
  }
  if (typeof what === "object" && "raw" in what) {
    response.socket?.end(what.raw);
    return;
  }
  const { http = 200, type = "application/xml; charset=UTF-8", body, length } = typeof what === "string" ? { body: what } : what;
  response.writeHead(http, {
    ...(type === "" ? {} : { "content-type": type }),
    ...(length === undefined ? {} : { "content-length": length }),
  });
  response.end(body);
  if (length !== undefined) response.socket?.destroySoon();
}
