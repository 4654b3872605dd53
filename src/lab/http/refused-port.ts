import { PlumblineError } from "../../core/errors.js";

/** Returns a readable error for a server that cannot listen on its port. */
export function refusedPort(cause: NodeJS.ErrnoException, host: string, port: number): Error {
  if (cause.code !== "EADDRINUSE" && cause.code !== "EACCES" && cause.code !== "EADDRNOTAVAIL") return cause;
  return new PlumblineError("lab-port-taken", `The lab cannot listen on ${host}:${port} (${cause.code}).`, {
    next: "See what listens there (ss -ltnp), or give --port 0 to take free ones.",
    cause,
  });
}
