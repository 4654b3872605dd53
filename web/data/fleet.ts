import { type FleetRow, type PackedRow, unpackRow } from "../../src/agent/page/fleet-row.ts";
import type { FleetView, MetaView } from "../../src/agent/page/view.ts";
import { embedded, getFleet } from "./api.ts";
import { readShown } from "./visible.ts";

type Link = "connecting" | "live" | "lost" | "static";

/** What the page knows of the fleet; a new object whenever something changed. */
export interface FleetKnown {
  readonly rows: ReadonlyMap<string, FleetRow>;
  readonly meta: MetaView;
  readonly link: Link;
  /** Seconds that the agent's clock is ahead of ours. */
  readonly ahead: number;
}

/**
 * Follows the fleet: the whole once, then what changes. After a break the whole again. `told` gets each new state, at
 * most once a frame. Gives what ends it.
 */
export function followFleet(told: (known: FleetKnown) => void, failed: (error: Error) => void): () => void {
  let known: FleetKnown | undefined;
  let rows = new Map<string, FleetRow>();
  let waiting: (() => void)[] | undefined = [];
  let frame = 0;

  const tell = () => {
    if (frame !== 0 || known === undefined) return;
    frame = requestAnimationFrame(() => {
      frame = 0;
      if (known !== undefined) told(known);
    });
  };
  const set = (change: Partial<FleetKnown>) => {
    if (known === undefined) return;
    known = { ...known, ...change };
    tell();
  };
  const begin = (view: FleetView, link: Link) => {
    rows = new Map(view.rows.map((row) => [row[0], unpackRow(row)]));
    const ahead = embedded === undefined ? view.now - Date.now() / 1000 : 0;
    known = { rows, meta: view.meta, link, ahead };
    tell();
  };
  /** News that come while the whole is on its way are newer than the whole. */
  const take = (news: () => void) => {
    if (waiting === undefined) news();
    else waiting.push(news);
  };
  const load = async (link: Link) => {
    waiting ??= [];
    try {
      begin(await getFleet(), link);
    } catch (error) {
      failed(error as Error);
      return;
    }
    const news = waiting;
    waiting = undefined;
    for (const each of news) each();
  };

  if (embedded !== undefined) {
    void load("static");
    return () => undefined;
  }
  const events = new EventSource("api/events");
  events.onopen = () => void load("live");
  events.onerror = () => {
    if (known === undefined && waiting?.length === 0) void load("lost");
    waiting = [];
    set({ link: "lost" });
  };
  const on = <T>(name: string, apply: (data: T) => void) =>
    events.addEventListener(name, (event) => take(() => apply(readShown<T>((event as MessageEvent<string>).data))));
  on<PackedRow[]>("rows", (packed) => {
    rows = new Map(rows);
    for (const row of packed) rows.set(row[0], unpackRow(row));
    set({ rows });
  });
  on<[string, number][]>("checked", (pairs) => {
    rows = new Map(rows);
    for (const [name, checked] of pairs) {
      const row = rows.get(name);
      if (row !== undefined) rows.set(name, { ...row, checked });
    }
    set({ rows });
  });
  on<string[]>("gone", (names) => {
    rows = new Map(rows);
    for (const name of names) rows.delete(name);
    set({ rows });
  });
  on<MetaView>("meta", (meta) => set({ meta }));
  return () => {
    cancelAnimationFrame(frame);
    events.close();
  };
}
