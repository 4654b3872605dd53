import type { Server, Socket } from "node:net";

/** The TCP connection below each TLS one: only that can be reset. */
const transports = new WeakMap<Socket, Socket>();

/** Remembers the connections of a TLS server, by the client's address until TLS is agreed. */
export function watchTransports(server: Server): void {
  const waiting = new Map<string, Socket>();
  server.on("connection", (raw: Socket) => {
    const address = addressOf(raw);
    waiting.set(address, raw);
    raw.once("close", () => waiting.delete(address));
  });
  server.on("secureConnection", (secure: Socket) => {
    const raw = waiting.get(addressOf(secure));
    if (raw !== undefined) transports.set(secure, raw);
  });
}

/** Ends a connection with a TCP reset, with or without TLS on it. */
export function resetConnection(socket: Socket): void {
  (transports.get(socket) ?? socket).resetAndDestroy();
}

function addressOf({ remoteAddress, remotePort }: Socket): string {
  return `${remoteAddress} ${remotePort}`;
}
