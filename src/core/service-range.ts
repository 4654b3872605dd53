/** First and last port of a range, both inclusive. */
interface Ports {
  readonly first: number;
  readonly last: number;
}

/** Parses `80`, `80,443` or `1000-2000,8080`. Undefined for other texts. */
export function readPorts(text: string): readonly Ports[] | undefined {
  const ranges = text.split(",").map((part) => /^\s*(\d{1,5})\s*(?:-\s*(\d{1,5}))?\s*$/.exec(part));
  const ports = ranges.map((match) => ({ first: Number(match?.[1]), last: Number(match?.[2] ?? match?.[1]) }));
  return ports.every(({ first, last }) => first <= last && last <= 65_535) ? ports : undefined;
}

/** Returns ports in the syntax of `readPorts`, sorted. */
export function portsText(ports: readonly Ports[]): string {
  const sorted = [...ports].sort((a, b) => a.first - b.first);
  return sorted.map(({ first, last }) => (first === last ? `${first}` : `${first}-${last}`)).join(",");
}

const PROTOCOLS: ReadonlyMap<string, number> = new Map([
  ["icmp", 1],
  ["tcp", 6],
  ["udp", 17],
  ["gre", 47],
  ["esp", 50],
  ["icmp6", 58],
  ["sctp", 132],
]);

const WITH_PORTS = ["tcp", "udp", "sctp"] as const;

/** Returns the name of a protocol that services can have ports for. Undefined for others. */
export function protocolWithPorts(protocol: number): (typeof WITH_PORTS)[number] | undefined {
  return WITH_PORTS.find((name) => PROTOCOLS.get(name) === protocol);
}

/** Parses `tcp/443`, `udp/53,5353`, `icmp`, or a protocol number. Undefined for other texts. */
export function literalService(text: string): readonly (Ports & { readonly protocol: number })[] | undefined {
  const [word = "", ports, ...more] = text.toLowerCase().split("/");
  const protocol = PROTOCOLS.get(word) ?? (/^\d{1,3}$/.test(word) ? Number(word) : undefined);
  const ranges = ports === undefined ? [{ first: 0, last: 65_535 }] : readPorts(ports);
  if (protocol === undefined || protocol > 255 || ranges === undefined || more.length > 0) return undefined;
  return ranges.map((range) => ({ protocol, ...range }));
}

/**
 * Parses a default of an application, as `literalService` and `tcp/dynamic`. `icmp/8` and `icmp6/128` are ICMP types, `icmp/3/1` is a type
 * and a code: ranges do not distinguish them. Undefined for other texts.
 */
export function literalDefault(text: string): readonly (Ports & { readonly protocol: number; readonly icmpType?: string })[] | undefined {
  const [, word = "", icmpType] = /^(icmp6?)\/(\d{1,3}(?:\/\d{1,3})?)$/i.exec(text) ?? [];
  if (icmpType === undefined) return literalService(text.replace(/\/dynamic$/, ""));
  if (icmpType.split("/").some((part) => Number(part) > 255)) return undefined;
  return literalService(word)?.map((range) => ({ ...range, icmpType }));
}

/** Returns true if a service is one port of one protocol, or a protocol without ports. */
export function isOnePort(text: string): boolean {
  const [range, ...more] = literalService(text) ?? [];
  return range !== undefined && more.length === 0 && (range.first === range.last || !text.includes("/"));
}
