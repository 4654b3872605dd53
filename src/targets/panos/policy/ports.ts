/** First and last port of a range, both in it. */
interface Ports {
  readonly first: number;
  readonly last: number;
}

/** `80`, `80,443` or `1000-2000,8080`; undefined for what is written otherwise. */
export function readPorts(text: string): readonly Ports[] | undefined {
  const ranges = text.split(",").map((part) => /^\s*(\d{1,5})\s*(?:-\s*(\d{1,5}))?\s*$/.exec(part));
  const ports = ranges.map((match) => ({ first: Number(match?.[1]), last: Number(match?.[2] ?? match?.[1]) }));
  return ports.every(({ first, last }) => first <= last && last <= 65_535) ? ports : undefined;
}
