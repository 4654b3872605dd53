import type { IncomingMessage } from "node:http";
import { BlockList, isIP } from "node:net";
import { PlumblineError } from "../core/errors.js";

/** Who asks, as far as the connection and the proxies that we believe can tell. */
export interface Client {
  /** In figures; empty where the connection is gone already. */
  readonly address: string;
  /** What counts as one client where something is limited: the address, of IPv6 the network of 64 bits that one machine has to itself. */
  readonly network: string;
  /** The name that it asked for, with the port. */
  readonly host: string;
  /** Between it and the first proxy. */
  readonly isEncrypted: boolean;
}

/**
 * The proxies before us. What they say of the client is believed: the last address of `X-Forwarded-For` that is none of them. What
 * anybody else says of itself is not. Without a list nobody is believed to stand for another address. `Forwarded` is not read.
 */
export class Proxies {
  readonly #trusted = new BlockList();
  readonly #isListed: boolean;

  /** Addresses, or networks such as 10.0.0.0/8. @throws PlumblineError `option-invalid` */
  constructor(trusted: readonly string[]) {
    this.#isListed = trusted.length > 0;
    for (const each of trusted) this.#trust(each);
  }

  clientOf(request: IncomingMessage): Client {
    const { headers, socket } = request;
    const peer = plain(socket.remoteAddress ?? "");
    const isProxy = this.#has(peer);
    const address = isProxy ? this.#forwarded(peer, headers["x-forwarded-for"]) : peer;
    // Where no proxy is listed there may be one all the same: these two decide nothing that only a proxy may.
    const told = (name: string): string | undefined => (isProxy || !this.#isListed ? first(headers[name]) : undefined);
    const isEncrypted = told("x-forwarded-proto") === "https" || String(headers.origin ?? "").startsWith("https:");
    return { address, network: networkOf(address), host: told("x-forwarded-host") ?? headers.host ?? "", isEncrypted };
  }

  #forwarded(peer: string, header: string | string[] | undefined): string {
    let client = peer;
    for (const said of [header ?? []].flat().join(",").split(",").reverse()) {
      const address = withoutPort(said.trim());
      if (isIP(address) === 0) return client;
      client = address;
      if (!this.#has(address)) return client;
    }
    return client;
  }

  #has(address: string): boolean {
    const version = isIP(address);
    return version !== 0 && this.#trusted.check(address, version === 6 ? "ipv6" : "ipv4");
  }

  #trust(text: string): void {
    const [address = "", bits, ...more] = text.split("/");
    const family = isIP(address) === 6 ? "ipv6" : "ipv4";
    const most = family === "ipv6" ? 128 : 32;
    const length = bits === undefined ? most : /^\d{1,3}$/.test(bits) ? Number(bits) : Number.NaN;
    if (isIP(address) === 0 || more.length > 0 || !(length <= most)) throw noNetwork(text);
    this.#trusted.addSubnet(address, length, family);
  }
}

/** One that IPv6 only wraps is the same as the one within. */
function plain(address: string): string {
  return address.replace(/^::ffff:(?=\d+\.)/i, "").replace(/%.*$/, "");
}

function withoutPort(text: string): string {
  const brackets = /^\[([^\]]*)\](?::\d+)?$/.exec(text);
  return plain(brackets?.[1] ?? text.replace(/^(\d+\.\d+\.\d+\.\d+):\d+$/, "$1"));
}

function networkOf(address: string): string {
  if (isIP(address) !== 6) return address;
  const [head = "", tail] = address.split("::");
  const groups = (text: string): string[] => text.split(":").filter((group) => group !== "");
  const [before, after] = [groups(head), groups(tail ?? "")];
  const zeros = tail === undefined ? [] : Array<string>(Math.max(0, 8 - before.length - after.length)).fill("0");
  return `${[...before, ...zeros, ...after]
    .slice(0, 4)
    .map((group) => Number.parseInt(group, 16).toString(16))
    .join(":")}::/64`;
}

function first(header: string | string[] | undefined): string | undefined {
  return [header ?? []].flat()[0]?.split(",")[0]?.trim();
}

function noNetwork(text: string): PlumblineError {
  return new PlumblineError("option-invalid", `"${text}" is no address and no network.`, {
    next: "Write trustProxy as addresses in figures or networks, such as 10.4.0.7, 10.0.0.0/8 or fd00::/8.",
  });
}
