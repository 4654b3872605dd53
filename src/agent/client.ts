import type { IncomingMessage } from "node:http";
import { BlockList, isIP } from "node:net";
import { PlumblineError } from "../core/errors.js";

/** Client of a request, from the connection and from the headers of trusted proxies. */
export interface Client {
  /** IP address. Empty if the connection is already closed. */
  readonly address: string;
  /** Network that rate limits count as one client: the IPv4 address, or the /64 network of an IPv6 address. */
  readonly network: string;
  /** Requested host name, with the port. */
  readonly host: string;
  /** The connection between the client and the first proxy is encrypted. */
  readonly isEncrypted: boolean;
}

/**
 * Trusted proxies in front of the agent. The client address is the last address of `X-Forwarded-For` that is not a trusted proxy. Headers
 * of other senders are ignored. Without a list, the address always comes from the connection. `Forwarded` is not read.
 */
export class Proxies {
  readonly #trusted = new BlockList();
  readonly #isListed: boolean;

  /** `trusted` contains addresses or networks such as 10.0.0.0/8. @throws PlumblineError `option-invalid` */
  constructor(trusted: readonly string[]) {
    this.#isListed = trusted.length > 0;
    for (const each of trusted) this.#trust(each);
  }

  clientOf(request: IncomingMessage): Client {
    const { headers, socket } = request;
    const peer = plain(socket.remoteAddress ?? "");
    const isProxy = this.#has(peer);
    const address = isProxy ? this.#forwarded(peer, headers["x-forwarded-for"]) : peer;
    // Without a list, a proxy may still exist. The host and the encryption are then read from its headers, because they grant no rights.
    const forwarded = (name: string): string | undefined => (isProxy || !this.#isListed ? first(headers[name]) : undefined);
    const isEncrypted = forwarded("x-forwarded-proto") === "https" || String(headers.origin ?? "").startsWith("https:");
    return { address, network: networkOf(address), host: forwarded("x-forwarded-host") ?? headers.host ?? "", isEncrypted };
  }

  #forwarded(peer: string, header: string | string[] | undefined): string {
    let client = peer;
    for (const entry of [header ?? []].flat().join(",").split(",").reverse()) {
      const address = withoutPort(entry.trim());
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

/** Converts an IPv4-mapped IPv6 address to IPv4 and removes the zone. */
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
  return new PlumblineError("option-invalid", `"${text}" is not an address or a network.`, {
    next: "Write trustProxy as addresses in figures or networks, such as 10.4.0.7, 10.0.0.0/8 or fd00::/8.",
  });
}
