import { isIP } from "node:net";
import { PlumblineError, type Where } from "./errors.js";

/** Returns true if traffic to an address can be read on the way: it uses no TLS and leaves this machine. */
export function isPlaintext(address: string): boolean {
  if (!URL.canParse(address)) return false;
  const { protocol, hostname } = new URL(address);
  return protocol === "http:" && !isLoopback(hostname);
}

/** @param hostname In the form of `URL`: lower case, complete numbers, IPv6 in brackets. Other names may resolve to any address. */
export function isLoopback(hostname: string): boolean {
  return hostname === "localhost" || hostname === "[::1]" || (isIP(hostname) === 4 && hostname.startsWith("127."));
}

/** The setting that declares the connection to an address safe, and its value. */
export interface PlaintextSetting {
  readonly isAllowed: boolean | undefined;
  /** Text of the setting for the user: `plaintext: true of the channel`. */
  readonly word: string;
  readonly where?: Where;
}

/**
 * Refuses to send credentials (passwords, keys, tokens) without encryption, unless the connection stays on this machine or the user
 * declared it safe. Called with every address that receives credentials, before the first request. @throws PlumblineError
 * `address-in-the-clear`
 */
export function expectEncrypted(address: string, { isAllowed, word, where = {} }: PlaintextSetting): void {
  if (isAllowed !== true && isPlaintext(address)) throw addressInTheClear(new URL(address).origin, word, where);
}

/** Returns the error for an address that would receive a secret without encryption. */
export function addressInTheClear(origin: string, word: string, { file, line, column, target }: Where = {}): PlumblineError {
  return new PlumblineError("address-in-the-clear", `${origin} is not encrypted: the credentials could be read on the network.`, {
    where: { file, line, column, target },
    next: `Encrypt the connection (https://, for a database sslmode=verify-full), or allow an unencrypted one explicitly: ${word}.`,
  });
}
