import { useCallback, useEffect, useMemo, useRef, useState } from "preact/hooks";
import { useDesk } from "../data/desk.ts";
import { countsOf, FILTERS, type Filter, pauseFinder, type Selection, type SortKey, select } from "../data/filter.ts";
import { useKeys, useNow } from "../data/hooks.ts";
import { lastFleet } from "../data/route.ts";
import { plural, STATE_SIGNS } from "../data/words.ts";
import { Empty } from "../parts/bits.tsx";
import { FleetTable } from "../parts/fleet-table.tsx";

const SORTS: readonly (readonly [SortKey, string])[] = [
  ["attention", "what needs attention"],
  ["since", "longest away"],
  ["name", "name"],
  ["checked", "longest not checked"],
];

export function Overview({ query }: { readonly query: URLSearchParams }) {
  const { known } = useDesk();
  const now = useNow() / 1000 + known.ahead;
  const search = useRef<HTMLInputElement>(null);
  const [selection, setSelection] = useState<Selection>(() => selectionOf(query));
  const change = useCallback((part: Partial<Selection>) => setSelection((before) => ({ ...before, ...part })), []);
  useEffect(() => {
    lastFleet.hash = hashOf(selection);
    history.replaceState(null, "", lastFleet.hash);
  }, [selection]);

  const pauseOf = useMemo(() => pauseFinder(known.meta.pauses), [known.meta.pauses]);
  const isPaused = useCallback((name: string) => pauseOf(name) !== undefined, [pauseOf]);
  const counts = useMemo(() => countsOf(known.rows.values(), isPaused), [known.rows, isPaused]);
  const rows = useMemo(() => select(known.rows.values(), selection, isPaused), [known.rows, selection, isPaused]);

  useKeys({
    "/": () => search.current?.focus(),
    Escape: () => change({ words: "", only: undefined }),
  });
  return (
    <main class="fleet">
      <h1 tabIndex={-1}>
        Fleet <span class="dim">{plural(known.rows.size, "target")}</span>
      </h1>
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
          }}
        />
        <label class="sort">
          <span>Sort by</span>
          <select aria-label="Sort by" value={selection.sort} onChange={(event) => change({ sort: event.currentTarget.value as SortKey })}>
            {SORTS.map(([key, words]) => (
              <option key={key} value={key}>
                {words}
              </option>
            ))}
          </select>
        </label>
        <span class="dim found" role="status">
          {rows.length === known.rows.size ? "" : `${rows.length.toLocaleString("en")} shown`}
        </span>
      </div>
      {rows.length > 0 ? (
        <FleetTable key={hashOf(selection)} rows={rows} now={now} pauseOf={pauseOf} />
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

function selectionOf(query: URLSearchParams): Selection {
  return {
    words: query.get("q") ?? "",
    only: FILTERS.find((filter) => filter === query.get("only")),
    sort: SORTS.map(([key]) => key).find((key) => key === query.get("sort")) ?? "attention",
  };
}

function hashOf({ words, only, sort }: Selection): string {
  const query = new URLSearchParams();
  if (words !== "") query.set("q", words);
  if (only !== undefined) query.set("only", only);
  if (sort !== "attention") query.set("sort", sort);
  return query.size === 0 ? "#/" : `#/?${query}`;
}
