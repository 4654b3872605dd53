import type { ComponentChildren } from "preact";
import type { FleetRow } from "../../src/agent/page/fleet-row.ts";
import type { PauseView } from "../../src/agent/page/view.ts";
import type { SortKey } from "../data/filter.ts";
import { targetLink } from "../data/route.ts";
import { plural } from "../data/state-labels.ts";
import { Ago, StatePill } from "./small-parts.tsx";

/** Data of a cell in addition to its row. */
export interface Sight {
  /** Seconds. */
  readonly now: number;
  readonly pause: PauseView | undefined;
  /** The row that Tab focuses. */
  readonly isActive: boolean;
  readonly focused: () => void;
}

/** Column of the fleet table. */
interface Column {
  /** Part of its class `cell-NAME`, which the layout for phones uses. */
  readonly name: string;
  readonly head: string;
  /** Sort key. Undefined if the column cannot be sorted. */
  readonly sort?: SortKey;
  /** Width for grid-template-columns. */
  readonly width: string;
  /** Width in a narrow window. Undefined if the column is hidden there. */
  readonly narrowWidth?: string;
  readonly isDim?: boolean;
  readonly title?: (row: FleetRow) => string;
  readonly cell: (row: FleetRow, sight: Sight) => ComponentChildren;
}

/** Columns from left to right. */
export const COLUMNS: readonly Column[] = [
  {
    name: "state",
    head: "State",
    sort: "attention",
    width: "178px",
    narrowWidth: "168px",
    cell: ({ state }, { pause }) => (
      <>
        <StatePill state={state} />
        {pause !== undefined && <StatePill state="paused" />}
      </>
    ),
  },
  {
    name: "name",
    head: "Target",
    sort: "name",
    width: "minmax(140px, 1.1fr)",
    narrowWidth: "minmax(120px, 1fr)",
    title: ({ labels }) => labels.replaceAll("\n", ", ").replaceAll("=", " "),
    cell: ({ name, kind }, { isActive, focused }) => (
      <>
        <a href={targetLink(name)} tabIndex={isActive ? 0 : -1} data-active={isActive ? "" : undefined} onFocus={focused}>
          {name}
        </a>
        <span class="dim kind">{kind}</span>
      </>
    ),
  },
  {
    name: "since",
    head: "Since",
    sort: "since",
    width: "96px",
    narrowWidth: "84px",
    cell: ({ since }, { now }) => <Ago at={since} now={now} />,
  },
  {
    name: "what",
    head: "Cause and author",
    sort: "what",
    width: "minmax(200px, 2fr)",
    narrowWidth: "minmax(150px, 1.6fr)",
    title: ({ note }) => note,
    cell: (row, { now }) => (
      <>
        <What row={row} />
        {row.drifts === 0 && row.pending === 0 && row.note === "" && (
          <span class="dim on-phones">
            checked <Ago at={row.checked} now={now} suffix=" ago" />
          </span>
        )}
      </>
    ),
  },
  { name: "mode", head: "Mode", sort: "mode", width: "78px", isDim: true, cell: ({ mode }) => mode },
  {
    name: "checked",
    head: "Checked",
    sort: "checked",
    width: "96px",
    isDim: true,
    cell: ({ checked }, { now }) => <Ago at={checked} now={now} suffix=" ago" />,
  },
];

/** Returns the class of the cells and of the head. */
export function classOf({ name, narrowWidth, isDim }: Column): string {
  return `cell-${name}${isDim === true ? " dim" : ""}${narrowWidth === undefined ? " wide-only" : ""}`;
}

/** Style properties: the row grids for wide and narrow windows. */
export const COLUMN_WIDTHS = {
  "--columns": COLUMNS.map(({ width }) => width).join(" "),
  "--narrow-columns": COLUMNS.flatMap(({ narrowWidth }) => narrowWidth ?? []).join(" "),
};

function What({ row: { drifts, pending, who, note } }: { readonly row: FleetRow }) {
  return (
    <>
      {drifts > 0 && plural(drifts, "drift")}
      {drifts > 0 && (who === "" ? <span class="dim"> by unknown</span> : <b class="who"> by {who}</b>)}
      {drifts > 0 && pending > 0 && <span class="dim"> · </span>}
      {pending > 0 && `${plural(pending, "change")} not applied`}
      {(drifts > 0 || pending > 0) && note !== "" && <span class="dim"> · </span>}
      {note !== "" && <span class="dim">{note}</span>}
    </>
  );
}
