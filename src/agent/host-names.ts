import type { IncomingHttpHeaders } from "node:http";
import { isIP } from "node:net";

/**
 * Host names that the agent accepts, against DNS rebinding. A malicious site can point its name to the agent's address and read the page in
 * a victim's browser; such a request carries the name of the site. IP addresses and loopback names are always accepted, because they cannot
 * be abused that way.
 */
export class HostNames {
  readonly #names: ReadonlySet<string>;

  constructor(names: readonly string[]) {
    this.#names = new Set(names.map(plain));
  }

  /** Returns the first host name that is not accepted, from the `Host` header or from `X-Forwarded-Host`. */
  stranger(headers: IncomingHttpHeaders): string | undefined {
    const forwarded = [headers["x-forwarded-host"] ?? []].flat().flatMap((each) => each.split(","));
    return [headers.host ?? "", ...forwarded].map(withoutPort).find((name) => !this.#isOwnName(name));
  }

  #isOwnName(name: string): boolean {
    if (isIP(name) !== 0 || name === "localhost" || name.endsWith(".localhost")) return true;
    return this.#names.has(name);
  }
}

function withoutPort(host: string): string {
  const text = host.trim();
  const brackets = /^\[([^\]]*)\](?::\d*)?$/.exec(text);
  return plain(brackets?.[1] ?? text.replace(/:\d*$/, ""));
}

function plain(name: string): string {
  return name.toLowerCase().replace(/\.$/, "");
}
