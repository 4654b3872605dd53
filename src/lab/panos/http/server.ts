import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import { type Listener, listenOn } from "../../http/listen.js";
import { watchTransports } from "../../http/transports.js";
import type { LabDevice } from "../device.js";
import { DeviceError } from "../device-error.js";
import type { LabCore } from "../lab-core.js";
import type { LabCertificate } from "./certificate.js";
import { control } from "./control.js";
import { exchange } from "./exchange.js";
import { parseRequest, readBody } from "./parse-request.js";
import { refusal } from "./reply.js";
import { send } from "./send.js";

const MAX_REQUEST = 5 * 1024 * 1024;
const MAX_URL = 8000;
const MAX_UPLOAD = 256 * 1024 * 1024;
const PAGE = (title: string): string => `<html><head><title>${title}</title></head><body><center><h1>${title}</h1></center></body></html>`;

/** Serves one device, over TLS if a certificate is given. */
export function listen(
  core: LabCore,
  device: LabDevice,
  certificate: LabCertificate | undefined,
  host: string,
  port: number,
): Promise<Listener> {
  const listener: RequestListener = (incoming, response) => {
    serve(core, device, incoming, response).catch((error: unknown) => fail(response, error));
  };
  return listenOn(listener, certificate, host, port, (server) => {
    if (certificate !== undefined) watchTransports(server);
  });
}

async function serve(core: LabCore, device: LabDevice, incoming: IncomingMessage, response: ServerResponse): Promise<void> {
  const url = new URL(incoming.url ?? "/", "http://lab");
  if ((incoming.url ?? "").length > (device.options.limits?.urlBytes ?? MAX_URL)) return page(response, 414, "414 Request-URI Too Large");
  if (url.pathname.startsWith("/lab/")) {
    const body = (await readBody(incoming, MAX_UPLOAD)) ?? Buffer.alloc(0);
    const { http, contentType, text } = control(core, device, incoming.method ?? "GET", url.pathname.slice(5), body);
    await send(response, { http, contentType, body: [] }, text, undefined);
    return;
  }
  if (url.pathname !== "/api" && url.pathname !== "/api/") return page(response, 404, "404 Not Found");
  if (incoming.method !== "GET" && incoming.method !== "POST") return page(response, 405, "405 Method Not Allowed");
  const isUpload = incoming.headers["content-type"]?.includes("multipart/") === true;
  const body = await readBody(incoming, isUpload ? MAX_UPLOAD : (device.options.limits?.requestBytes ?? MAX_REQUEST));
  if (body === undefined) return page(response, 413, "413 Request Entity Too Large");
  await exchange(core, device, parseRequest(incoming, url, body), response);
}

async function page(response: ServerResponse, http: number, title: string): Promise<void> {
  await send(response, { http, contentType: "text/html", body: [] }, PAGE(title), undefined);
}

/** Reports an internal error of the lab with HTTP 500, so that no test mistakes it for a reply of the device. */
function fail(response: ServerResponse, error: unknown): void {
  if (response.headersSent || response.destroyed) {
    response.destroy();
    return;
  }
  const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
  const reply = refusal(new DeviceError("2", `internal error of the lab: ${text}`, { http: 500 }));
  response.writeHead(500, { "content-type": reply.contentType });
  response.end([...reply.body].join(""));
}
