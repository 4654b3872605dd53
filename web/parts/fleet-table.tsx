import { useLayoutEffect, useRef, useState } from "preact/hooks";
import type { FleetRow } from "../../src/agent/page/fleet-row.ts";
import type { PauseView } from "../../src/agent/page/view.ts";
import { FILTERS, type Filter, type Selection, SORTS, type SortKey } from "../data/filter.ts";
import type { Head as GroupFacts, Item } from "../data/groups.ts";
import { useChange, useKeys, useMedia, useSize } from "../data/hooks.ts";
import { plural, STATE_SIGNS } from "../data/state-labels.ts";
import { COLUMN_WIDTHS, COLUMNS, classOf, type Sight } from "./fleet-columns.tsx";

const ROW = 38;
const ROW_ON_PHONES = 62;
/** Height of the sticky head in pixels. Phones have none. */
const HEAD = 32;
/** Number of rows that are rendered beyond each edge, so that fast scrolling shows no gaps. */
const SPARE = 12;
/** The rendered rows are updated after this number of rows. */
const STEP = 5;

interface TableProps {
  readonly items: readonly Item[];
  /** Seconds. */
  readonly now: number;
  readonly pauseOf: (name: string) => PauseView | undefined;
  readonly order: Pick<Selection, "sort" | "isReversed">;
  /** Sorts by the key, or reverses the order if it is already sorted by it. */
  readonly sortBy: (sort: SortKey) => void;
  /** Current selection. A change scrolls to the top. */
  readonly asked: string;
  /** Opens or closes the group with that value. */
  readonly turn: (value: string) => void;
}

/** Renders only visible rows. The arrow keys reach all rows. */
export function FleetTable({ items, now, pauseOf, order, sortBy, asked, turn }: TableProps) {
  const isPhone = useMedia("(max-width: 640px)");
  const height = isPhone ? ROW_ON_PHONES : ROW;
  const head = isPhone ? 0 : HEAD;
  const [box, setBox] = useState<HTMLDivElement | null>(null);
  const size = useSize(box);
  const [top, setTop] = useState(0);
  // Keys can arrive faster than the page renders.
  const active = useRef(0);
  const [, drawAgain] = useState(0);
  const wantsFocus = useRef(false);

  useChange(asked, () => {
    active.current = 0;
    setTop(0);
    if (box !== null) box.scrollTop = 0;
  });
  // The list may have become shorter since the last scroll.
  const from = Math.max(0, Math.min(top, items.length * height - size.height));
  const first = Math.max(0, Math.floor(from / height) - SPARE);
  const last = Math.min(items.length, Math.ceil((from + Math.max(size.height, 400)) / height) + SPARE);
  const at = Math.min(active.current, items.length - 1);

  const go = (to: number) => {
    const next = Math.max(0, Math.min(items.length - 1, to));
    active.current = next;
    wantsFocus.current = true;
    drawAgain((times) => times + 1);
    if (box === null) return;
    if (next * height < box.scrollTop) box.scrollTop = next * height;
    else if ((next + 1) * height + head > box.scrollTop + box.clientHeight) box.scrollTop = (next + 1) * height + head - box.clientHeight;
  };
  useLayoutEffect(() => {
    const link = wantsFocus.current ? box?.querySelector<HTMLElement>("[data-active]") : undefined;
    if (link === null || link === undefined) return;
    link.focus({ preventScroll: true });
    wantsFocus.current = false;
  });
  /** The first key focuses the row that Tab would focus. */
  const step = (by: number) => () => {
    const isInside = wantsFocus.current || box?.querySelector(".all-rows")?.contains(document.activeElement) === true;
    go(active.current + (isInside ? by : 0));
  };
  const screen = Math.max(1, Math.floor(size.height / height) - 1);
  useKeys({
    j: step(1),
    k: step(-1),
    ArrowDown: step(1),
    ArrowUp: step(-1),
    PageDown: () => go(active.current + screen),
    PageUp: () => go(active.current - screen),
    Home: () => go(0),
    End: () => go(items.length - 1),
  });

  return (
    <div
      ref={setBox}
      class="table"
      role="table"
      aria-label="Targets"
      aria-rowcount={items.length + 1}
      style={COLUMN_WIDTHS}
      onScroll={(event) => setTop(stepOf(event.currentTarget.scrollTop, height * STEP))}
    >
      <Head order={order} sortBy={sortBy} />
      <div role="rowgroup" class="all-rows" style={{ height: `${items.length * height}px` }}>
        {items.slice(first, last).map((item, i) => {
          const place = { index: first + i, top: (first + i) * height, height, isActive: first + i === at };
          const focused = () => {
            active.current = first + i;
            drawAgain((times) => times + 1);
          };
          return "row" in item ? (
            <Row key={item.key} row={item.row} {...place} now={now} pause={pauseOf(item.row.name)} focused={focused} />
          ) : (
            <GroupHead key={item.key} head={item.head} {...place} focused={focused} turn={turn} />
          );
        })}
      </div>
    </div>
  );
}

function Head({ order, sortBy }: Pick<TableProps, "order" | "sortBy">) {
  return (
    <div role="rowgroup" class="table-head">
      <div role="row" aria-rowindex={1} class="row head">
        {COLUMNS.map(({ name, head, narrowWidth, sort }) => (
          <span
            key={name}
            role="columnheader"
            class={narrowWidth === undefined ? "wide-only" : undefined}
            aria-sort={sort === order.sort ? directionOf(order) : undefined}
          >
            {sort === undefined ? (
              head
            ) : (
              <button type="button" onClick={() => sortBy(sort)}>
                {head}
              </button>
            )}
          </span>
        ))}
      </div>
    </div>
  );
}

function directionOf({ sort, isReversed }: TableProps["order"]): "ascending" | "descending" {
  const isUp = SORTS[sort].usually === "ascending";
  return isUp !== isReversed ? "ascending" : "descending";
}

interface PlaceProps {
  readonly index: number;
  readonly top: number;
  readonly height: number;
}

type GroupHeadProps = PlaceProps & Pick<Sight, "isActive" | "focused"> & Pick<TableProps, "turn"> & { readonly head: GroupFacts };

function GroupHead({ head: { value, count, states, isShut }, index, top, height, isActive, focused, turn }: GroupHeadProps) {
  return (
    <div role="row" aria-rowindex={index + 2} class="row group" style={{ top: `${top}px`, height: `${height}px` }}>
      <span role="cell" aria-colspan={COLUMNS.length}>
        <button
          type="button"
          class="quiet"
          aria-expanded={!isShut}
          tabIndex={isActive ? 0 : -1}
          data-active={isActive ? "" : undefined}
          onFocus={focused}
          onClick={() => turn(value)}
        >
          <span aria-hidden="true">{isShut ? "▸" : "▾"}</span> <b>{value === "" ? "without" : value}</b>{" "}
          <span class="dim">{plural(count, "target")}</span>
        </button>
        {FILTERS.map(
          (state) => state !== "paused" && (states[state] ?? 0) > 0 && <GroupCount key={state} state={state} count={states[state] ?? 0} />,
        )}
      </span>
    </div>
  );
}

function GroupCount({ state, count }: { readonly state: Filter; readonly count: number }) {
  const { mark, word } = STATE_SIGNS[state];
  return (
    <span class={`group-count is-${state}`} title={word}>
      <span aria-hidden="true">{mark}</span> {count.toLocaleString("en")} <span class="group-word">{word.toLowerCase()}</span>
    </span>
  );
}

interface RowProps extends Sight, PlaceProps {
  readonly row: FleetRow;
}

function Row({ row, index, top, height, isActive, now, pause, focused }: RowProps) {
  return (
    <div role="row" aria-rowindex={index + 2} class={`row is-${row.state}`} style={{ top: `${top}px`, height: `${height}px` }}>
      {COLUMNS.map((column) => (
        <span key={column.name} role="cell" class={classOf(column)} title={column.title?.(row)}>
          {column.cell(row, { now, pause, isActive, focused })}
        </span>
      ))}
    </div>
  );
}

function stepOf(top: number, size: number): number {
  return Math.floor(top / size) * size;
}
