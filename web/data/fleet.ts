import { type FleetRow, type PackedRow, unpackRow } from "../../src/agent/page/fleet-row.ts";
import type { FleetView, MetaView } from "../../src/agent/page/view.ts";
import { embedded, getFleet } from "./api.ts";
import { listen } from "./live.ts";

type Link = "connecting" | "live" | "lost" | "static";

/** Current state of the fleet. Each change creates a new object. */
export interface FleetKnown {
  readonly rows: ReadonlyMap<string, FleetRow>;
  readonly meta: MetaView;
  readonly link: Link;
  /** Seconds that the agent's clock is ahead of the browser's. */
  readonly ahead: number;
}

/**
 * Follows the fleet: loads it completely, then applies changes. Loads it again after an interruption. Calls `show` with each new state, at
 * most once per frame. Returns a function that stops it.
 */
export function followFleet(show: (known: FleetKnown) => void, failed: (error: Error) => void): () => void {
  let known: FleetKnown | undefined;
  let rows = new Map<string, FleetRow>();
  let waiting: (() => void)[] | undefined = [];
  let frame = 0;

  const tell = () => {
    if (frame !== 0 || known === undefined) return;
    frame = requestAnimationFrame(() => {
      frame = 0;
      if (known !== undefined) show(known);
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
  /** Changes that arrive during a load are newer than its result. */
  const take = (news: () => void) => {
    if (waiting === undefined) news();
    else waiting.push(news);
  };
  /** Returns whether the load succeeded. */
  const load = async (link: Link): Promise<boolean> => {
    waiting ??= [];
    try {
      begin(await getFleet(), link);
    } catch (error) {
      failed(error as Error);
      return false;
    }
    const news = waiting;
    waiting = undefined;
    for (const each of news) each();
    return true;
  };

  if (embedded !== undefined) {
    void load("static");
    return () => undefined;
  }
  const put = (changed: readonly FleetRow[], gone: readonly string[] = []) => {
    rows = new Map(rows);
    for (const row of changed) rows.set(row.name, row);
    for (const name of gone) rows.delete(name);
    set({ rows });
  };
  const told = {
    rows: (packed: PackedRow[]) => put(packed.map(unpackRow)),
    checked: (pairs: [string, number][]) =>
      put(pairs.flatMap(([name, checked]) => [rows.get(name) ?? []].flat().map((row) => ({ ...row, checked })))),
    gone: (names: string[]) => put([], names),
    meta: (meta: MetaView) => set({ meta }),
  };
  const end = listen({
    opened: () => void load("live"),
    lost: async (isRefused) => {
      const isFirst = known === undefined && waiting?.length === 0;
      set({ link: "lost" });
      const loaded = isRefused || isFirst ? load("lost") : Promise.resolve(true);
      waiting = [];
      return await loaded;
    },
    told: Object.fromEntries(Object.entries(told).map(([name, apply]) => [name, (data) => take(() => apply(data as never))])),
  });
  return () => {
    cancelAnimationFrame(frame);
    end();
  };
}
