import type { ServiceRange } from "../../../insight/policy.js";
import { readPorts } from "./ports.js";

const PROTOCOLS: ReadonlyMap<string, number> = new Map([
  ["icmp", 1],
  ["tcp", 6],
  ["udp", 17],
  ["gre", 47],
  ["esp", 50],
  ["icmp6", 58],
  ["sctp", 132],
]);

/** `tcp/443`, `udp/53,5353`, `icmp`, or a protocol's number; undefined for what is none of them. */
export function literalService(text: string): readonly ServiceRange[] | undefined {
  const [word = "", ports, ...more] = text.toLowerCase().split("/");
  const protocol = PROTOCOLS.get(word) ?? (/^\d{1,3}$/.test(word) ? Number(word) : undefined);
  const ranges = ports === undefined ? [{ first: 0, last: 65_535 }] : readPorts(ports);
  if (protocol === undefined || protocol > 255 || ranges === undefined || more.length > 0) return undefined;
  return ranges.map((range) => ({ protocol, ...range }));
}
