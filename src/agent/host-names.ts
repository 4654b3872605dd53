import type { IncomingHttpHeaders } from "node:http";
import { isIP } from "node:net";

/**
 * The names by which an agent may be asked for. A site that somebody is lured to may give its own name the agent's address
 * and so read, in that person's browser, what only they can reach; such a request carries the site's name. An address in
 * figures cannot be given away, nor can a name of this machine's loopback.
 */
export class HostNames {
  readonly #names: ReadonlySet<string>;

  constructor(names: readonly string[]) {
    this.#names = new Set(names.map(plain));
  }

  /** The first name that is not ours: of the request itself, or of the one that a proxy says it got. */
  stranger(headers: IncomingHttpHeaders): string | undefined {
    const forwarded = [headers["x-forwarded-host"] ?? []].flat().flatMap((each) => each.split(","));
    return [headers.host ?? "", ...forwarded].map(withoutPort).find((name) => !this.#isOurs(name));
  }

  #isOurs(name: string): boolean {
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
