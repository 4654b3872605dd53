import { useEffect, useRef, useState } from "preact/hooks";
import type { HistoryRowView } from "../../src/agent/page/view.ts";
import { getHistory } from "../data/api.ts";
import { type FoldedRow, foldRows } from "../data/fold.ts";
import { type HistoryFilter, historyLink } from "../data/history-filter.ts";
import { targetLink } from "../data/route.ts";
import { moment } from "../data/time.ts";
import { stepsOf } from "../data/tree.ts";
import { Commit } from "./commit.tsx";
import { Ago, Empty, shortAge } from "./small-parts.tsx";

interface HistoryProps {
  readonly filter: HistoryFilter;
  readonly now: number;
  /** A change of this value loads the list again. */
  readonly changes: unknown;
}

/** Keeps the older rows if they directly follow the newest page. */
function olderThan(newest: readonly HistoryRowView[], shown: readonly HistoryRowView[] | undefined): readonly HistoryRowView[] {
  const ids = new Set(newest.map(({ id }) => id));
  const rest = shown?.filter(({ id }) => !ids.has(id)) ?? [];
  return rest.length === shown?.length ? [] : rest;
}

/** Shows the history, newest first, page by page. */
export function HistoryList({ filter, now, changes }: HistoryProps) {
  const [rows, setRows] = useState<readonly HistoryRowView[]>();
  const [next, setNext] = useState("");
  const [fault, setFault] = useState("");
  const shown = useRef(rows);
  shown.current = rows;
  useEffect(() => {
    let isOver = false;
    getHistory(filter, "").then(
      (page) => {
        if (isOver) return;
        const kept = olderThan(page.rows, shown.current);
        setRows([...page.rows, ...kept]);
        if (kept.length === 0) setNext(page.next);
        setFault("");
      },
      (error: Error) => !isOver && setFault(error.message),
    );
    return () => {
      isOver = true;
    };
  }, [historyLink(filter), changes]);
  const more = async () => {
    try {
      const page = await getHistory(filter, next);
      setRows([...(rows ?? []), ...page.rows]);
      setNext(page.next);
      setFault("");
    } catch (error) {
      setFault((error as Error).message);
    }
  };
  const wrong = fault !== "" && (
    <p class="wrong" role="alert">
      {fault}
    </p>
  );
  if (rows === undefined) return wrong || <p class="dim">Loading …</p>;
  if (rows.length === 0 && historyLink({ ...filter, target: "" }) !== historyLink({}))
    return <Empty title="Nothing fits" text="No event matches the filter." />;
  if (rows.length === 0) return <Empty title="Nothing yet" text="The agent records its events here." />;
  return (
    <>
      <ol class="history">
        {foldRows(rows).map((folded) => (
          <HistoryRow key={folded.row.id} folded={folded} now={now} withTarget={filter.target === ""} />
        ))}
      </ol>
      {wrong}
      {next !== "" && (
        <button type="button" onClick={() => void more()}>
          Older
        </button>
      )}
    </>
  );
}

const GOOD = new Set(["in-sync", "applied", "committed", "accepted", "empty"]);
const BAD = new Set(["failed", "partial", "refused", "held"]);

interface RowProps {
  readonly folded: FoldedRow;
  readonly now: number;
  readonly withTarget: boolean;
}

function HistoryRow({ folded: { row, times, since }, now, withTarget }: RowProps) {
  const { at, ended, kind, outcome, author, path, summary, target, commit } = row;
  const colour = GOOD.has(outcome) ? "is-in-sync" : BAD.has(outcome) ? "is-failed" : kind === "drift" ? "is-drifted" : "";
  const steps = path === "" ? [] : stepsOf(path);
  return (
    <li>
      <span class="when dim">
        <Ago at={at} now={now} suffix=" ago" />
      </span>
      <span class={`kind-word ${colour}`}>{kind}</span>
      <span class="happened">
        {withTarget && target !== "" && <a href={targetLink(target)}>{target} </a>}
        {steps.length > 0 && (
          <span title={path}>
            <span class="dim">{steps.at(-2)} › </span>
            {steps.at(-1)}{" "}
          </span>
        )}
        <span class={steps.length > 0 ? "dim" : ""}>{summary}</span>
        {times > 1 && (
          <b class="times">
            {" "}
            {times} times since {moment(since)}
          </b>
        )}
        {author !== "" && (
          <>
            {" "}
            by{" "}
            <a href={historyLink({ person: author })} title={`What ${author} did`}>
              <b>{author}</b>
            </a>
          </>
        )}
        {commit !== undefined && (
          <>
            {" "}
            <Commit id={commit.id} facts={commit} now={now} />
          </>
        )}
        {kind === "drift" && <span class="dim"> · {ended === 0 ? "still open" : `over after ${shortAge(ended - at)}`}</span>}
      </span>
    </li>
  );
}
