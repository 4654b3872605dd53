import { useCallback, useEffect, useMemo, useRef, useState } from "preact/hooks";
import {
  countsOf,
  FILTERS,
  type Filter,
  fleetLink,
  pauseFinder,
  type Selection,
  SORTS,
  type SortKey,
  select,
  selectionOf,
} from "../data/filter.ts";
import { grouped, groupingsOf } from "../data/groups.ts";
import { useKeys, useNow } from "../data/hooks.ts";
import { useDesk } from "../data/page-context.ts";
import { lastFleet } from "../data/route.ts";
import { plural, STATE_SIGNS } from "../data/state-labels.ts";
import { Commit } from "../parts/commit.tsx";
import { FleetTable } from "../parts/fleet-table.tsx";
import { Empty } from "../parts/small-parts.tsx";

export function Overview({ query }: { readonly query: URLSearchParams }) {
  const { known } = useDesk();
  const now = useNow() / 1000 + known.ahead;
  const search = useRef<HTMLInputElement>(null);
  const [selection, setSelection] = useState<Selection>(() => selectionOf(query));
  const change = useCallback((part: Partial<Selection>) => setSelection((before) => ({ ...before, ...part })), []);
  // The address has changed while this page was open.
  const asked = useRef(query);
  if (asked.current !== query) {
    asked.current = query;
    if (fleetLink(selectionOf(query)) !== fleetLink(selection)) setSelection(selectionOf(query));
  }
  useEffect(() => {
    lastFleet.hash = fleetLink(selection);
    history.replaceState(null, "", lastFleet.hash);
  }, [selection]);

  const pauseOf = useMemo(() => pauseFinder(known.meta.pauses), [known.meta.pauses]);
  const isPaused = useCallback((name: string) => pauseOf(name) !== undefined, [pauseOf]);
  const counts = useMemo(() => countsOf(known.rows.values(), isPaused), [known.rows, isPaused]);
  const rows = useMemo(() => select(known.rows.values(), selection, isPaused), [known.rows, selection, isPaused]);
  const groupings = useMemo(() => groupingsOf(known.rows.values()), [known.rows]);
  const [shut, setShut] = useState<ReadonlySet<string>>(new Set());
  const items = useMemo(() => grouped(rows, selection.by, shut), [rows, selection.by, shut]);
  const sortBy = (sort: SortKey) => change({ sort, isReversed: sort === selection.sort && !selection.isReversed });
  const turn = (value: string) =>
    setShut((before) => new Set(before.has(value) ? [...before].filter((each) => each !== value) : [...before, value]));

  useKeys({
    "/": () => search.current?.focus(),
    Escape: () => change({ words: "", only: undefined }),
  });
  return (
    <main class="fleet">
      <h1 tabIndex={-1}>
        Fleet <span class="dim">{plural(known.rows.size, "target")}</span>
      </h1>
      {known.meta.commit !== "" && (
        <p class="in-force">
          <span class="dim">In force </span>
          <Commit id={known.meta.commit} facts={known.meta.head} now={now} />
        </p>
      )}
      <div class="filters" role="group" aria-label="Show only">
        {FILTERS.map((filter) => (
          <FilterButton
            key={filter}
            filter={filter}
            count={counts[filter]}
            isOn={selection.only === filter}
            turn={() => change({ only: selection.only === filter ? undefined : filter })}
          />
        ))}
      </div>
      <div class="tools">
        <input
          ref={search}
          type="search"
          placeholder="Search name, kind, person …   /"
          aria-label="Search targets"
          value={selection.words}
          onInput={(event) => change({ words: event.currentTarget.value })}
          onKeyDown={(event) => {
            if (event.key === "Escape") {
              change({ words: "" });
              event.currentTarget.blur();
            }
            if (event.key === "Enter") document.querySelector<HTMLElement>(".all-rows [data-active]")?.focus();
          }}
        />
        <label class="sort on-phones">
          <span>Sort by</span>
          <select
            aria-label="Sort by"
            value={selection.sort}
            onChange={(event) => change({ sort: event.currentTarget.value as SortKey, isReversed: false })}
          >
            {Object.entries(SORTS).map(([key, { words }]) => (
              <option key={key} value={key}>
                {words}
              </option>
            ))}
          </select>
        </label>
        <label class="sort">
          <span>Group by</span>
          <select aria-label="Group by" value={selection.by} onChange={(event) => change({ by: event.currentTarget.value })}>
            <option value="">no groups</option>
            {[...new Set([...groupings, ...(selection.by === "" ? [] : [selection.by])])].map((by) => (
              <option key={by} value={by}>
                {by}
              </option>
            ))}
          </select>
        </label>
        <span class="dim found" role="status">
          {rows.length === known.rows.size ? "" : `${rows.length.toLocaleString("en")} shown`}
        </span>
      </div>
      {rows.length > 0 ? (
        <FleetTable asked={fleetLink(selection)} items={items} now={now} pauseOf={pauseOf} order={selection} sortBy={sortBy} turn={turn} />
      ) : known.rows.size === 0 ? (
        <Empty title="No targets yet" text="No commit has been taken, or it names no target." />
      ) : (
        <Empty title="Nothing fits" text="No target fits this search and filter. Esc clears both." />
      )}
    </main>
  );
}

interface FilterButtonProps {
  readonly filter: Filter;
  readonly count: number;
  readonly isOn: boolean;
  readonly turn: () => void;
}

function FilterButton({ filter, count, isOn, turn }: FilterButtonProps) {
  const { mark, word } = STATE_SIGNS[filter];
  return (
    <button type="button" class={`filter is-${filter} ${count === 0 ? "is-none" : ""}`} aria-pressed={isOn} onClick={turn}>
      <span class="filter-count">{count.toLocaleString("en")}</span>
      <span class="filter-word">
        <span aria-hidden="true" class="pill-mark">
          {mark}
        </span>
        {word}
      </span>
    </button>
  );
}
