/** Protocol names of the network service's specification. Questions accept fewer names. */
const NUMBERS: ReadonlyMap<string, number> = new Map([
  ["icmp", 1],
  ["igmp", 2],
  ["ipip", 4],
  ["tcp", 6],
  ["egp", 8],
  ["udp", 17],
  ["dccp", 33],
  ["ipv6-encap", 41],
  ["ipv6-route", 43],
  ["ipv6-frag", 44],
  ["rsvp", 46],
  ["gre", 47],
  ["esp", 50],
  ["ah", 51],
  ["icmpv6", 58],
  ["ipv6-icmp", 58],
  ["ipv6-nonxt", 59],
  ["ipv6-opts", 60],
  ["ospf", 89],
  ["vrrp", 112],
  ["pgm", 113],
  ["sctp", 132],
  ["udplite", 136],
]);

const NAMES: ReadonlyMap<number, string> = new Map([...[...NUMBERS].map(([name, number]) => [number, name] as const), [0, "ip"]]);

/** Returns the name that the network service stores. Undefined if the number has no name. */
export function protocolName(number: number): string | undefined {
  return NAMES.get(number);
}

/** Returns the number of a protocol, which is given by name or number. */
export function protocolNumber(name: string): number | undefined {
  const number = /^\d{1,3}$/.test(name) ? Number(name) : undefined;
  return number !== undefined && number > 255 ? undefined : (number ?? NUMBERS.get(name));
}
