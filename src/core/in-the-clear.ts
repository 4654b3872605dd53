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

/** How it may be said that the way to an address is safe, and whether it was. */
export interface PlaintextWord {
  readonly isSaid: boolean | undefined;
  /** As a person writes it: `plaintext: true of the channel`. */
  readonly word: string;
  readonly where?: Where;
}

/**
 * The one rule for whatever lets us in (passwords, keys, tokens): it goes over TLS, or stays on this machine, or somebody said that the way is
 * safe. Called with every address that something of the kind goes to, before anything is sent. @throws PlumblineError `address-in-the-clear`
 */
export function expectEncrypted(address: string, { isSaid, word, where = {} }: PlaintextWord): void {
  if (isSaid !== true && isInTheClear(address)) throw addressInTheClear(new URL(address).origin, word, where);
}

/** For an address that something secret would go to in the clear. */
export function addressInTheClear(origin: string, word: string, { file, line, column, target }: Where = {}): PlumblineError {
  return new PlumblineError("address-in-the-clear", `${origin} is not encrypted: anybody on the way could read what we log in with.`, {
    where: { file, line, column, target },
    next: `Encrypt the way (https://, for a database sslmode=verify-full); where it is safe without, say so aloud: ${word}.`,
  });
}
