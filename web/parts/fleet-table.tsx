import { useLayoutEffect, useRef, useState } from "preact/hooks";
import type { FleetRow } from "../../src/agent/page/fleet-row.ts";
import type { PauseView } from "../../src/agent/page/view.ts";
import { useKeys, useMedia, useSize } from "../data/hooks.ts";
import { COLUMN_WIDTHS, COLUMNS, classOf, type Sight } from "./fleet-columns.tsx";

const ROW = 38;
const ROW_ON_PHONES = 62;
/** Stays at the top; phones have none. */
const HEAD = 32;
/** Rows beyond both edges, so that a fast scroll shows no gaps. */
const SPARE = 12;
/** The rows are chosen anew each time that so many have gone by. */
const STEP = 5;

interface TableProps {
  readonly rows: readonly FleetRow[];
  /** Seconds. */
  readonly now: number;
  readonly pauseOf: (name: string) => PauseView | undefined;
}

/** Only rows in sight exist; the arrow keys walk over all of them. */
export function FleetTable({ rows, now, pauseOf }: TableProps) {
  const isPhone = useMedia("(max-width: 640px)");
  const height = isPhone ? ROW_ON_PHONES : ROW;
  const head = isPhone ? 0 : HEAD;
  const [box, setBox] = useState<HTMLDivElement | null>(null);
  const size = useSize(box);
  const [top, setTop] = useState(0);
  // Keys can come faster than the page is drawn.
  const active = useRef(0);
  const [, drawAgain] = useState(0);
  const wantsFocus = useRef(false);

  // Rows may have gone since the box was scrolled there.
  const from = Math.max(0, Math.min(top, rows.length * height - size.height));
  const first = Math.max(0, Math.floor(from / height) - SPARE);
  const last = Math.min(rows.length, Math.ceil((from + Math.max(size.height, 400)) / height) + SPARE);
  const at = Math.min(active.current, rows.length - 1);

  const go = (to: number) => {
    const next = Math.max(0, Math.min(rows.length - 1, to));
    active.current = next;
    wantsFocus.current = true;
    drawAgain((times) => times + 1);
    if (box === null) return;
    if (next * height < box.scrollTop) box.scrollTop = next * height;
    else if ((next + 1) * height + head > box.scrollTop + box.clientHeight) box.scrollTop = (next + 1) * height + head - box.clientHeight;
  };
  useLayoutEffect(() => {
    const link = wantsFocus.current ? box?.querySelector<HTMLAnchorElement>("a[data-active]") : undefined;
    if (link === null || link === undefined) return;
    link.focus({ preventScroll: true });
    wantsFocus.current = false;
  });
  /** The first key lands on the row that Tab would land on. */
  const step = (by: number) => () => {
    const isInside = wantsFocus.current || box?.contains(document.activeElement) === true;
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
    End: () => go(rows.length - 1),
  });

  return (
    <div
      ref={setBox}
      class="table"
      role="table"
      aria-label="Targets"
      aria-rowcount={rows.length + 1}
      style={COLUMN_WIDTHS}
      onScroll={(event) => setTop(stepOf(event.currentTarget.scrollTop, height * STEP))}
    >
      <Head />
      <div role="rowgroup" class="all-rows" style={{ height: `${rows.length * height}px` }}>
        {rows.slice(first, last).map((row, i) => (
          <Row
            key={row.name}
            row={row}
            index={first + i}
            top={(first + i) * height}
            height={height}
            isActive={first + i === at}
            now={now}
            pause={pauseOf(row.name)}
            focused={() => {
              active.current = first + i;
              drawAgain((times) => times + 1);
            }}
          />
        ))}
      </div>
    </div>
  );
}

function Head() {
  return (
    <div role="rowgroup" class="table-head">
      <div role="row" aria-rowindex={1} class="row head">
        {COLUMNS.map(({ name, head, narrowWidth }) => (
          <span key={name} role="columnheader" class={narrowWidth === undefined ? "wide-only" : undefined}>
            {head}
          </span>
        ))}
      </div>
    </div>
  );
}

interface RowProps extends Sight {
  readonly row: FleetRow;
  readonly index: number;
  readonly top: number;
  readonly height: number;
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
