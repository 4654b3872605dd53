interface Ports {
  readonly protocol: number;
  readonly first: number;
  readonly last: number;
}

const PORTS = 65_536;
const END = 256 * PORTS;
const NAMES: Readonly<Record<number, string>> = { 1: "icmp", 6: "tcp", 17: "udp", 47: "gre", 50: "esp", 58: "icmp6", 132: "sctp" };

/** `tcp/80,443 udp/53`; `any`; or `any but tcp/443` if most services are included. */
export function formatServices(ranges: readonly Ports[]): string {
  const spans = ranges.map(({ protocol, first, last }) => [protocol * PORTS + first, protocol * PORTS + last + 1] as const);
  const merged: [number, number][] = [];
  for (const [first, end] of [...spans].sort((a, b) => a[0] - b[0])) {
    const before = merged.at(-1);
    if (before !== undefined && first <= before[1]) before[1] = Math.max(before[1], end);
    else merged.push([first, end]);
  }
  const gaps = gapsOf(merged);
  if (gaps.length === 0) return "any";
  const covered = merged.reduce((sum, [first, end]) => sum + end - first, 0);
  return covered > END / 2 ? `any but ${spansText(gaps)}` : spansText(merged);
}

function gapsOf(spans: readonly (readonly [number, number])[]): [number, number][] {
  const gaps: [number, number][] = [];
  let at = 0;
  for (const [first, end] of spans) {
    if (first > at) gaps.push([at, first]);
    at = end;
  }
  return at < END ? [...gaps, [at, END]] : gaps;
}

function spansText(spans: readonly (readonly [number, number])[]): string {
  const byProtocol = new Map<string, string[]>();
  for (const [first, end] of spans) {
    for (let protocol = Math.floor(first / PORTS); protocol * PORTS < end; protocol++) {
      const start = protocol * PORTS;
      const [low, high] = [Math.max(first, start) - start, Math.min(end, start + PORTS) - start - 1];
      const ports = byProtocol.get(nameOf(protocol)) ?? [];
      byProtocol.set(nameOf(protocol), ports);
      if (low !== 0 || high !== PORTS - 1) ports.push(low === high ? String(low) : `${low}-${high}`);
    }
  }
  return [...byProtocol].map(([name, ports]) => (ports.length === 0 ? name : `${name}/${ports.join(",")}`)).join(", ");
}

function nameOf(protocol: number): string {
  return NAMES[protocol] ?? `protocol ${protocol}`;
}
