import { BlockList, isIP } from "node:net";
import type { Dispatcher } from "undici";
import { PlumblineError } from "./errors.js";
import { isLoopback } from "./plaintext-http.js";

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Makes requests to services that are not targets use `HTTPS_PROXY` and `HTTP_PROXY`, except those in `NO_PROXY`. Targets are always
 * reached directly.
 * @throws PlumblineError `option-invalid`
 */
export async function useEnvironmentProxies(environment: Environment): Promise<void> {
  if (proxyOf("https://none.invalid", environment) === undefined && proxyOf("http://none.invalid", environment) === undefined) return;
  const { Agent, Pool, ProxyAgent, setGlobalDispatcher } = await import("undici");
  const factory = (origin: string | URL, options: object): Dispatcher => {
    const proxy = proxyOf(String(origin), environment);
    return proxy === undefined ? new Pool(origin, options) : new ProxyAgent(settingsOf(proxy));
  };
  setGlobalDispatcher(new Agent({ factory }));
}

/** Returns the settings of undici's `ProxyAgent`. The login is sent to the proxy only. */
export function settingsOf(proxy: URL): { readonly uri: string; readonly token?: string } {
  const { username, password } = proxy;
  if (username === "") return { uri: proxy.href };
  const login = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  const bare = new URL(proxy);
  bare.username = "";
  bare.password = "";
  return { uri: bare.href, token: `Basic ${Buffer.from(login).toString("base64")}` };
}

/** Returns the proxy for an address. Undefined without a proxy, for loopback addresses, and for addresses in `NO_PROXY`. */
export function proxyOf(address: string, environment: Environment): URL | undefined {
  const { protocol, hostname, port } = new URL(address);
  const name = protocol === "https:" ? "HTTPS_PROXY" : "HTTP_PROXY";
  const text = settingIn(name, environment);
  if (text === "") return undefined;
  const host = hostname.replace(/^\[|\]$/g, "").toLowerCase();
  if (
    isLoopback(hostname) ||
    host.endsWith(".localhost") ||
    isExcluded(host, port || (protocol === "https:" ? "443" : "80"), settingIn("NO_PROXY", environment))
  )
    return undefined;
  const proxy = text.includes("://") ? text : `http://${text}`;
  if (URL.canParse(proxy) && /^https?:$/.test(new URL(proxy).protocol)) return new URL(proxy);
  // The value may contain a password.
  throw new PlumblineError("option-invalid", `${name} is not the address of an HTTP proxy.`, {
    next: `Write ${name} as http://HOST:PORT, with the user and the password before the host, percent-encoded.`,
  });
}

/** Lower case has precedence, as in curl. curl and Go ignore HTTP_PROXY in CGI programs only. */
function settingIn(name: string, environment: Environment): string {
  return (environment[name.toLowerCase()] || environment[name] || "").trim();
}

function familyOf(host: string): "ipv4" | "ipv6" {
  return isIP(host) === 6 ? "ipv6" : "ipv4";
}

/** Entries are `*`, addresses, networks (`10.0.0.0/8`), or host names with their subdomains, each with an optional port. */
function isExcluded(host: string, port: string, list: string): boolean {
  return list
    .toLowerCase()
    .split(/[\s,]+/)
    .some((entry) => entry !== "" && matches(host, port, entry));
}

function matches(host: string, port: string, entry: string): boolean {
  if (entry === "*") return true;
  const [, network = "", bits] = /^(.+)\/(\d{1,3})$/.exec(entry) ?? [];
  if (bits !== undefined) return isInNetwork(host, network, Number(bits));
  const { name, at } = nameAndPort(entry);
  if (at !== undefined && at !== port) return false;
  if (isIP(name) > 0 || isIP(host) > 0) return isIP(name) > 0 && isInNetwork(host, name, isIP(name) === 6 ? 128 : 32);
  const domain = name.replace(/^\*?\./, "");
  return host === domain || host.endsWith(`.${domain}`);
}

function nameAndPort(entry: string): { readonly name: string; readonly at: string | undefined } {
  const [, bracketed, inBrackets] = /^\[([^\]]+)\](?::(\d+))?$/.exec(entry) ?? [];
  if (bracketed !== undefined) return { name: bracketed, at: inBrackets };
  const [, plain, at] = isIP(entry) === 6 ? [] : (/^([^:]+):(\d+)$/.exec(entry) ?? []);
  return plain === undefined ? { name: entry, at: undefined } : { name: plain, at };
}

function isInNetwork(host: string, network: string, bits: number): boolean {
  const family = isIP(network);
  if (family === 0 || isIP(host) !== family || bits > (family === 6 ? 128 : 32)) return false;
  const list = new BlockList();
  list.addSubnet(network, bits, family === 6 ? "ipv6" : "ipv4");
  return list.check(host, familyOf(host));
}
