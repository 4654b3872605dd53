import { useEffect, useMemo, useState } from "preact/hooks";
import { type FleetRow, unpackRow } from "../../src/agent/page/fleet-row.ts";
import type { TargetView } from "../../src/agent/page/view.ts";
import { getTarget } from "../data/api.ts";
import { offered, useDesk } from "../data/desk.ts";
import { fleetLink, pauseFinder } from "../data/filter.ts";
import { historyLink, NO_FILTER } from "../data/history-filter.ts";
import { useKeys, useNow } from "../data/hooks.ts";
import { lastFleet } from "../data/route.ts";
import { moment } from "../data/time.ts";
import { plural } from "../data/words.ts";
import { Actions, Approval, Lacking, Refusal, usePressing } from "../parts/actions.tsx";
import { Assertions } from "../parts/assertions.tsx";
import { Ago, Empty, StatePill, shortAge } from "../parts/bits.tsx";
import { Commit } from "../parts/commit.tsx";
import { DriftTree } from "../parts/drift-tree.tsx";
import { HistoryList } from "../parts/history-list.tsx";
import { Levels } from "../parts/levels.tsx";
import { PlanPart } from "../parts/plan.tsx";
import { PushSteps } from "../parts/push-steps.tsx";

export function TargetPage({ name }: { readonly name: string }) {
  const { known, session, isStatic, open, act } = useDesk();
  const now = useNow() / 1000 + known.ahead;
  const live = known.rows.get(name);
  const [view, setView] = useState<TargetView>();
  const [fault, setFault] = useState("");
  const [tries, setTries] = useState(0);
  useEffect(() => {
    let isOver = false;
    getTarget(name).then(
      (found) => {
        if (isOver) return;
        setView(found);
        setFault("");
      },
      (error: Error) => !isOver && setFault(error.message),
    );
    return () => {
      isOver = true;
    };
    // Load again after a change of the row, and after a sign-in, which may change the roles.
  }, [name, live, tries, session.name]);

  const pause = useMemo(() => pauseFinder(known.meta.pauses)(name), [known.meta.pauses, name]);
  const row = live ?? (view === undefined ? undefined : unpackRow(view.row));
  const pressing = usePressing(name, view);
  const plan = pressing.ask("plan", () => void act("plan", { target: name }));
  const reconcile = pressing.ask("reconcile", () => open({ kind: "reconcile", target: name, drifts: row?.drifts ?? 0 }));
  useEffect(() => {
    const more = name;
    offered.commands = [
      ...(pressing.isOffered ? [{ words: "Plan now", more, run: plan }] : []),
      ...(pressing.isOffered && row?.mode === "enforce" ? [{ words: "Reconcile now", more, run: reconcile }] : []),
      ...(isStatic ? [] : [{ words: "Search its history", more, run: () => location.assign(historyLink({ target: name })) }]),
    ];
    return () => {
      offered.commands = [];
    };
  });
  useKeys(
    pressing.isOffered
      ? { p: plan, r: reconcile, j: () => stepOver(1), k: () => stepOver(-1) }
      : { j: () => stepOver(1), k: () => stepOver(-1) },
  );

  if (row === undefined) {
    return (
      <main>
        <h1 tabIndex={-1}>{name}</h1>
        <Empty title="Not there" text={fault === "" ? "There is no target of that name in the commit in force." : fault} />
      </main>
    );
  }
  return (
    <main class="target">
      <p class="crumbs">
        <a href={lastFleet.hash}>← Fleet</a>
      </p>
      <div class="headline">
        <h1 tabIndex={-1}>{name}</h1>
        <StatePill state={row.state} />
        {pause !== undefined && <StatePill state="paused" />}
        <span class="dim">
          {row.kind} · {row.mode}
        </span>
        {pressing.isOffered && <Actions row={row} pause={pause} pressing={pressing} plan={plan} reconcile={reconcile} />}
      </div>
      <Lacking view={view} pressing={pressing} />
      <Facts view={view} row={row} now={now} />
      {pause !== undefined && (
        <p class="banner is-paused">
          <b>Paused</b> by {pause.by} {pause.until === 0 ? "until resumed" : `until ${moment(pause.until)}`}: {pause.reason}
        </p>
      )}
      {view?.hold !== undefined && (
        <p class="banner is-failed">
          <b>Apply failed</b> {plural(view.hold.attempts, "time")},{" "}
          {view.hold.nextTry === 0 ? "held until git moves" : `tried again at ${moment(view.hold.nextTry)}`}: {view.hold.reason}
        </p>
      )}
      {view?.pass?.error !== undefined && (
        <p class="banner is-failed">
          <b>{view.pass.error.code}</b> {view.pass.error.message} {view.pass.error.next}
        </p>
      )}
      {row.note !== "" && view?.pass?.error === undefined && view?.hold === undefined && <p class="banner is-note">{row.note}</p>}
      {fault !== "" && (
        <p class="banner is-failed" role="alert">
          <b>Not read</b> {fault} {view !== undefined && "The data below is older."}
          <button type="button" onClick={() => setTries(tries + 1)}>
            Try again
          </button>
        </p>
      )}
      {view === undefined ? (
        fault === "" && <p class="dim">Loading …</p>
      ) : (
        <>
          {view.levels !== undefined && <Levels {...view.levels} now={now} />}
          {view.push !== undefined && <PushSteps course={view.push} now={now} />}
          {view.assertions !== undefined && <Assertions standing={view.assertions} now={now} />}
          <div class="columns">
            <section aria-labelledby="drift" class="wide">
              <h2 id="drift">
                Drift <span class="count">{view.drift.length}</span>
              </h2>
              {view.drift.length === 0 ? (
                <Empty {...nothingDrifted(row)} />
              ) : (
                <DriftTree changes={view.drift} commit={view.driftCommit} now={now} />
              )}
            </section>
            <section aria-labelledby="plan">
              <h2 id="plan">Plan</h2>
              <Approval target={name} plan={view.plan} pressing={pressing} />
              <Refusal target={name} plan={view.plan} pressing={pressing} />
              <PlanPart plan={view.plan} now={now} />
            </section>
            {!isStatic && (
              <section aria-labelledby="history">
                <h2 id="history">History</h2>
                <HistoryList filter={{ ...NO_FILTER, target: name }} now={now} changes={live} />
                <p>
                  <a href={historyLink({ target: name })}>Search this history</a>
                </p>
              </section>
            )}
          </div>
        </>
      )}
    </main>
  );
}

/** Text for a target without drift. It is in sync only if no commit is pending and the last pass was successful. */
function nothingDrifted({ state, pending }: FleetRow): { readonly title: string; readonly text: string } {
  if (state === "new") return { title: "Not looked at yet", text: "The first pass has not ended." };
  if (state === "in-sync") return { title: "No drift", text: "The target matches git." };
  if (pending > 0)
    return {
      title: "Nothing changed manually",
      text: `${plural(pending, "change")} of the commit ${pending === 1 ? "is" : "are"} not applied.`,
    };
  return { title: "No manual changes known", text: "The target may still differ from git." };
}

function Facts({ view, row, now }: { readonly view: TargetView | undefined; readonly row: FleetRow; readonly now: number }) {
  const word =
    row.state === "failed"
      ? "Failing for"
      : row.state === "refused"
        ? "Refused for"
        : row.state === "pending"
          ? "Pending for"
          : "Left its state";
  return (
    <dl class="facts">
      {row.since > 0 && (
        <div>
          <dt>{word}</dt>
          <dd>
            <b>{shortAge(now - row.since)}</b> {row.state === "drifted" && "ago"} <span class="dim">{moment(row.since)}</span>
          </dd>
        </div>
      )}
      {row.pending > 0 && (
        <div>
          <dt>Not applied</dt>
          <dd>
            <b>{plural(row.pending, "change")}</b> of the commit
          </dd>
        </div>
      )}
      {row.drifts > 0 && (
        <div>
          <dt>Changed by</dt>
          <dd>
            <b>{row.who === "" ? "unknown" : row.who}</b>
          </dd>
        </div>
      )}
      {row.labels !== "" && (
        <div>
          <dt>Labels</dt>
          <dd>
            {row.labels.split("\n").map((label) => (
              <a key={label} class="label" href={fleetLink({ words: label, by: label.slice(0, label.indexOf("=")) })}>
                {label.replace("=", " ")}
              </a>
            ))}
          </dd>
        </div>
      )}
      <div>
        <dt>Checked</dt>
        <dd>
          <Ago at={row.checked} now={now} suffix=" ago" />
        </dd>
      </div>
      {(view?.pass?.commit ?? "") !== "" && (
        <div>
          <dt>Against commit</dt>
          <dd>
            <Commit id={view?.pass?.commit ?? ""} facts={view?.commit} now={now} />
          </dd>
        </div>
      )}
    </dl>
  );
}

/** Moves the focus between the changes of the page. */
function stepOver(by: number): void {
  const stops = [...document.querySelectorAll<HTMLElement>("[data-stop]")].filter((stop) => stop.checkVisibility());
  const at = stops.indexOf(document.activeElement as HTMLElement);
  stops[Math.max(0, Math.min(stops.length - 1, at + by))]?.focus();
}
