import { isIP } from "node:net";
import { PlumblineError, type Where } from "./errors.js";

/** Whether what goes to an address can be read on the way: no TLS, and it leaves this machine. */
export function isInTheClear(address: string): boolean {
  if (!URL.canParse(address)) return false;
  const { protocol, hostname } = new URL(address);
  return protocol === "http:" && !isLoopback(hostname);
}

/** `hostname` as `URL` gives it: lower case, figures in full, IPv6 in brackets. Other names may lead anywhere. */
export function isLoopback(hostname: string): boolean {
  return hostname === "localhost" || hostname === "[::1]" || (isIP(hostname) === 4 && hostname.startsWith("127."));
}

/** For an address that something secret would go to in the clear. */
export function addressInTheClear(origin: string, { file, line, column, target }: Where): PlumblineError {
  return new PlumblineError("address-in-the-clear", `${origin} is not encrypted: anybody on the way could read what we log in with.`, {
    where: { file, line, column, target },
    next: "Write https://; where the way to it is safe, say so aloud (tls: { plaintext: true } of a target, --plaintext of a command).",
  });
}
