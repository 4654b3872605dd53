/** Filter of the history. Empty texts match everything. Times are seconds since 1970. */
export interface HistoryFilter {
  readonly target: string;
  readonly person: string;
  readonly kind: string;
  readonly since: number;
  /** Exclusive. 0 for no end. */
  readonly until: number;
}

export const NO_FILTER: HistoryFilter = { target: "", person: "", kind: "", since: 0, until: 0 };

/** Times in an address are UTC, so that the same address shows the same rows in every time zone. */
export function filterOf(query: URLSearchParams): HistoryFilter {
  const text = (name: string) => query.get(name) ?? "";
  const at = (name: string) => Math.max(0, Math.floor(Date.parse(text(name)) / 1000) || 0);
  return { target: text("target"), person: text("person"), kind: text("kind"), since: at("since"), until: at("until") };
}

export function historyLink(filter: Partial<HistoryFilter>): string {
  const { target, person, kind, since, until } = { ...NO_FILTER, ...filter };
  const iso = (seconds: number) => (seconds === 0 ? "" : new Date(seconds * 1000).toISOString().replace(/:00\.000Z$/, "Z"));
  const said = Object.entries({ target, person, kind, since: iso(since), until: iso(until) }).filter(([, value]) => value !== "");
  return said.length === 0 ? "#/history" : `#/history?${new URLSearchParams(said)}`;
}

/** Returns the query for the agent. */
export function askedFor({ target, person, kind, since, until }: HistoryFilter): Readonly<Record<string, string>> {
  const times = { since: since === 0 ? "" : String(since), until: until === 0 ? "" : String(until) };
  return Object.fromEntries(Object.entries({ target, person, kind, ...times }).filter(([, value]) => value !== ""));
}
