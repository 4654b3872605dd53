import { createServer as createPlain, type RequestListener, type Server } from "node:http";
import { createServer as createSecure } from "node:https";
import type { AddressInfo } from "node:net";
import type { LabCertificate } from "../panos/http/certificate.js";
import { refusedPort } from "./refused-port.js";

export interface Listener {
  /** Scheme, host and port. */
  readonly url: string;
  close(): Promise<void>;
}

/** Longer than any URL that the lab answers with 414, but limited to protect memory. */
const MAX_HEADERS = 1024 * 1024;

/** Listens on a port; 0 chooses a free one. Uses TLS if there is a certificate. `prepare` receives the server before it listens. */
export function listenOn(
  listener: RequestListener,
  certificate: LabCertificate | undefined,
  host: string,
  port: number,
  prepare: (server: Server) => void = () => undefined,
): Promise<Listener> {
  const limits = { maxHeaderSize: MAX_HEADERS };
  const server =
    certificate === undefined
      ? createPlain(limits, listener)
      : createSecure({ ...limits, cert: certificate.certPem, key: certificate.keyPem }, listener);
  prepare(server);
  return new Promise((resolve, reject) => {
    server.once("error", (cause) => reject(refusedPort(cause, host, port)));
    server.listen(port, host, () => {
      const address = server.address() as AddressInfo;
      const name = host.includes(":") ? `[${host}]` : host;
      resolve({ url: `${certificate === undefined ? "http" : "https"}://${name}:${address.port}`, close: () => close(server) });
    });
  });
}

function close(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}
