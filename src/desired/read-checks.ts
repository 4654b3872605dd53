import { isIP, isIPv4, isIPv6 } from "node:net";
import { normalHash } from "../core/file-hash.js";
import { type Artifacts, DEFAULTS, type Leniency, LIMITS, type LogWatch, type Probe, type ProbeTries } from "./checks.js";
import { itemsWith } from "./header-items.js";
import type { HeaderReader, Pair } from "./header-reader.js";
import type { DesiredKind } from "./kind.js";
import { suggest } from "./suggest.js";

const { items, mapOf, refuse, required, texts } = itemsWith("check-invalid");

const PROBES = ["tcp", "http", "dns"] as const;

/** Reads `watch:` of a document. */
export function readWatches(reader: HeaderReader, pair: Pair | undefined, kind: DesiredKind): LogWatch[] {
  if (pair === undefined) return [];
  const types = kind.logTypes;
  if (types === undefined) return refuseUncommitted(reader, pair, "watch", kind);
  return items(reader, pair, "watch").flatMap((item) => {
    const keys = mapOf(reader, item, ["type", "query", "threshold", "minutes"], "A watch");
    const type = keys === undefined ? undefined : required(reader, item, keys, "type");
    const minutes = keys === undefined ? undefined : required(reader, item, keys, "minutes");
    if (keys === undefined || type === undefined || minutes === undefined) return [];
    if (!types.includes(type)) return refuse(reader, item, `There is no log of type "${type}".`, suggest(type, types)) ?? [];
    const window = numberOf(reader, keys.get("minutes"), "minutes", 1);
    const threshold = numberOf(reader, keys.get("threshold"), "threshold", DEFAULTS.threshold);
    const query = keys.get("query");
    const filter = query === undefined ? undefined : reader.text(query, "query");
    if (window === undefined || threshold === undefined || (query !== undefined && filter === undefined)) return [];
    return [{ type, query: filter, threshold, minutes: window }];
  });
}

/** Reads `probe:` of a document. */
export function readProbes(reader: HeaderReader, pair: Pair | undefined, kind: DesiredKind): Probe[] {
  if (pair === undefined) return [];
  if (kind.logTypes === undefined) return refuseUncommitted(reader, pair, "probe", kind);
  return items(reader, pair, "probe").flatMap((item) => {
    const keys = mapOf(reader, item, [...PROBES, "timeout", "attempts"], "A probe");
    if (keys === undefined) return [];
    const kinds = PROBES.filter((kind) => keys.has(kind));
    const [kind] = kinds;
    if (kind === undefined || kinds.length > 1)
      return refuse(reader, item, "A probe is one of tcp:, http: and dns:.", "Write - tcp: { host: …, port: … }, for example.") ?? [];
    const timeout = numberOf(reader, keys.get("timeout"), "timeout", DEFAULTS.timeout);
    const attempts = numberOf(reader, keys.get("attempts"), "attempts", DEFAULTS.attempts);
    const value = keys.get(kind)?.value ?? item;
    if (timeout === undefined || attempts === undefined) return [];
    const probe = PROBE_READERS[kind](reader, value, { timeout, attempts });
    return probe === undefined ? [] : [probe];
  });
}

/** Cloud objects have no commit: a check that cannot roll back would only look safe. */
function refuseUncommitted(reader: HeaderReader, pair: Pair, name: string, { kind }: DesiredKind): never[] {
  const message = `${name}: is not possible here: a target of kind ${kind} has no commit that could be rolled back.`;
  return refuse(reader, pair.key, message, "Write it in a document of a firewall that carries the traffic, or take it out.") ?? [];
}

type ProbeReader = (reader: HeaderReader, item: number, tries: ProbeTries) => Probe | undefined;

const PROBE_READERS: Readonly<Record<(typeof PROBES)[number], ProbeReader>> = {
  tcp(reader, item, tries) {
    const keys = mapOf(reader, item, ["host", "port"], "tcp:");
    const host = keys === undefined ? undefined : required(reader, item, keys, "host");
    const text = keys === undefined ? undefined : required(reader, item, keys, "port");
    const port = text === undefined ? undefined : numberOf(reader, keys?.get("port"), "port", 0);
    if (host === undefined || port === undefined) return undefined;
    if (isHost(host)) return { kind: "tcp", host, port, ...tries };
    return refuse(
      reader,
      keys?.get("host")?.value ?? item,
      `host: "${host}" is neither a name nor an address.`,
      "The port has a key of its own.",
    );
  },
  http(reader, item, tries) {
    const keys = mapOf(reader, item, ["url", "status"], "http:");
    const url = keys === undefined ? undefined : required(reader, item, keys, "url");
    const status = numberOf(reader, keys?.get("status"), "status", DEFAULTS.status);
    if (url === undefined || status === undefined) return undefined;
    const parsed = URL.canParse(url) ? new URL(url) : undefined;
    if (parsed !== undefined && /^https?:$/.test(parsed.protocol) && parsed.username === "" && parsed.password === "")
      return { kind: "http", url, status, ...tries };
    return refuse(reader, item, "url: is not an address of the form https://host/path.", "Write it without user and password.");
  },
  dns(reader, item, tries) {
    const keys = mapOf(reader, item, ["name", "server", "expect"], "dns:");
    const name = keys === undefined ? undefined : required(reader, item, keys, "name");
    if (keys === undefined || name === undefined) return undefined;
    const [server, expect] = ["server", "expect"].map((key) => {
      const value = keys.get(key);
      return value === undefined ? undefined : reader.text(value, key);
    });
    if (!isHost(name) || isIP(name) !== 0)
      return refuse(reader, keys.get("name")?.value ?? item, `name: "${name}" is not a host name.`, "Write it as www.example.com.");
    if (server !== undefined && !isNameServer(server))
      return refuse(
        reader,
        keys.get("server")?.value ?? item,
        `server: "${server}" is not an address.`,
        "Write the address of the name server, such as 192.0.2.53.",
      );
    if (expect !== undefined && isIP(expect) === 0)
      return refuse(
        reader,
        keys.get("expect")?.value ?? item,
        `expect: "${expect}" is not an address.`,
        "Write the address that the name must have, such as 192.0.2.10.",
      );
    return { kind: "dns", name, server, expect, ...tries };
  },
};

function isHost(text: string): boolean {
  return isIP(text) !== 0 || /^[\p{L}\p{N}_][\p{L}\p{N}_.-]*$/u.test(text);
}

/** Returns whether the text is an address with an optional port: `192.0.2.53:5353`, `[2001:db8::53]:5353`. */
function isNameServer(text: string): boolean {
  const [, bracketed, bare] = /^(?:\[([^\]]*)\]|([^:]*))(?::\d{1,5})?$/.exec(text) ?? [];
  return isIP(text) !== 0 || isIPv6(bracketed ?? "") || isIPv4(bare ?? "");
}

/** Reads `artifacts:` of a document. */
export function readArtifacts(reader: HeaderReader, pair: Pair | undefined): Artifacts | undefined {
  if (pair === undefined) return undefined;
  const keys = mapOf(reader, pair.value, ["hashes", "images", "onUnknown", "onUnavailable"], "artifacts:");
  if (keys === undefined) return undefined;
  if (!keys.has("hashes") && !keys.has("images"))
    return refuse(reader, pair.key, "artifacts: names no file.", "List hashes: (MD5 or SHA-256), images: (by name), or both.");
  const hashes = texts(reader, keys.get("hashes"), "hashes").flatMap(({ text, node }) => {
    const hash = normalHash(text);
    return hash ?? refuse(reader, node, `"${text}" is no hash.`, "Write an MD5 (32 hexadecimal digits) or a SHA-256 (64).") ?? [];
  });
  const images = texts(reader, keys.get("images"), "images").map(({ text }) => text);
  const onUnknown = leniencyOf(reader, keys.get("onUnknown"), "onUnknown");
  const onUnavailable = leniencyOf(reader, keys.get("onUnavailable"), "onUnavailable");
  if (onUnknown === undefined || onUnavailable === undefined) return undefined;
  return { hashes: [...new Set(hashes)], images: [...new Set(images)], onUnknown, onUnavailable };
}

function leniencyOf(reader: HeaderReader, pair: Pair | undefined, name: string): Leniency | undefined {
  if (pair === undefined) return "refuse";
  const word = reader.text(pair, name);
  if (word === undefined || word === "refuse" || word === "warn") return word;
  return refuse(reader, pair.value, `${name}: cannot be "${word}".`, "Write refuse or warn.");
}

/** Returns an integer within its limits, or `otherwise` for a missing key. */
function numberOf(reader: HeaderReader, pair: Pair | undefined, name: keyof typeof LIMITS, otherwise: number): number | undefined {
  if (pair === undefined) return otherwise;
  const text = reader.text(pair, name);
  if (text === undefined) return undefined;
  const [least, most] = LIMITS[name];
  const value = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN;
  if (value >= least && value <= most) return value;
  return refuse(reader, pair.value, `${name}: cannot be "${text}".`, `Write an integer from ${least} to ${most}${UNITS[name] ?? ""}.`);
}

const UNITS: Readonly<Record<string, string>> = { minutes: ", in minutes", timeout: ", in seconds" };
