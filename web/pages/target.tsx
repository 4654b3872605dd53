import { useEffect, useMemo, useState } from "preact/hooks";
import { type FleetRow, unpackRow } from "../../src/agent/page/fleet-row.ts";
import type { TargetView } from "../../src/agent/page/view.ts";
import { getTarget } from "../data/api.ts";
import { fleetLink, pauseFinder } from "../data/filter.ts";
import { historyLink } from "../data/history-filter.ts";
import { useKeys, useNow } from "../data/hooks.ts";
import { offered, useDesk } from "../data/page-context.ts";
import { lastFleet } from "../data/route.ts";
import { plural } from "../data/state-labels.ts";
import { moment } from "../data/time.ts";
import { Actions, Lacking, usePressing } from "../parts/actions.tsx";
import { Assertions } from "../parts/assertions.tsx";
import { Commit } from "../parts/commit.tsx";
import { Levels } from "../parts/levels.tsx";
import { PushSteps } from "../parts/push-steps.tsx";
import { RuleEnds } from "../parts/rule-ends.tsx";
import { Ago, Empty, StatePill, shortAge } from "../parts/small-parts.tsx";
import { Columns } from "../parts/target-columns.tsx";

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
        <Empty title="Target not found" text={fault === "" ? "The active commit has no target with this name." : fault} />
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
        {pressing.isOffered && (
          <Actions row={row} waits={waitsForDecision(view?.plan)} pause={pause} pressing={pressing} plan={plan} reconcile={reconcile} />
        )}
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
          {view.hold.nextTry === 0 ? "on hold until a new commit" : `next try at ${moment(view.hold.nextTry)}`}: {view.hold.reason}
        </p>
      )}
      {view?.pass?.error !== undefined && !isRefusalOf(view.plan, view.pass.error.message) && (
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
          {view.ends !== undefined && <RuleEnds name={name} {...view.ends} />}
          <Columns name={name} view={view} row={row} live={live} pressing={pressing} now={now} />
        </>
      )}
    </main>
  );
}

function waitsForDecision(plan: TargetView["plan"]): boolean {
  return plan?.waitsForApproval === true || (plan?.json?.refusals.length ?? 0) > 0;
}

/** Whether the error of the pass consists of the refusals that the plan shows. */
function isRefusalOf(plan: TargetView["plan"], message: string): boolean {
  const { refusals = [] } = plan?.json ?? {};
  return refusals.length > 0 && refusals.every((refusal) => message.includes(refusal.message));
}

function Facts({ view, row, now }: { readonly view: TargetView | undefined; readonly row: FleetRow; readonly now: number }) {
  const word =
    row.state === "failed"
      ? "Failing for"
      : row.state === "refused"
        ? "Refused for"
        : row.state === "pending"
          ? "Pending for"
          : "State changed";
  return (
    <dl class="facts">
      {row.since > 0 && (
        <div>
          <dt>{word}</dt>
          <dd>
            <b>{shortAge(now - row.since)}</b> {word === "State changed" && "ago"} <span class="dim">{moment(row.since)}</span>
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
