import type { FleetRow } from "../../src/agent/page/fleet-row.ts";
import type { TargetView } from "../../src/agent/page/view.ts";
import { historyLink, NO_FILTER } from "../data/history-filter.ts";
import { useDesk } from "../data/page-context.ts";
import { plural } from "../data/state-labels.ts";
import { Approval, type Pressing, Refusal } from "./actions.tsx";
import { ChangeTree } from "./change-tree.tsx";
import { HistoryList } from "./history-list.tsx";
import { PlanPart } from "./plan.tsx";
import { Empty } from "./small-parts.tsx";

interface ColumnsProps {
  readonly name: string;
  readonly view: TargetView;
  readonly row: FleetRow;
  /** A change of this value loads the history again. */
  readonly live: unknown;
  readonly pressing: Pressing;
  readonly now: number;
}

/** Shows drift, plan and history. The plan is in the wide column if it waits and there is no drift. */
export function Columns({ name, view, row, live, pressing, now }: ColumnsProps) {
  const { isStatic } = useDesk();
  const planFirst = view.drift.length === 0 && row.state !== "in-sync" && hasContent(view.plan);
  const plans = (
    <section aria-labelledby="plan" class={planFirst ? "wide" : ""}>
      <h2 id="plan">Plan</h2>
      <Approval target={name} plan={view.plan} pressing={pressing} />
      <Refusal target={name} plan={view.plan} pressing={pressing} />
      <PlanPart plan={view.plan} isWide={planFirst} now={now} />
    </section>
  );
  return (
    <div class="columns">
      {planFirst && plans}
      <section aria-labelledby="drift" class={planFirst ? "" : "wide"}>
        <h2 id="drift">
          Drift <span class="count">{view.drift.length}</span>
        </h2>
        {view.drift.length > 0 ? (
          <ChangeTree of="drift" changes={view.drift} commit={view.driftCommit} now={now} />
        ) : planFirst ? (
          <p class="dim">No manual changes known.</p>
        ) : (
          <Empty {...nothingDrifted(row)} />
        )}
        {(view.unmanaged ?? 0) > 0 && (
          <p class="dim">
            {view.unmanaged === 1 ? "1 unmanaged entry" : `${view.unmanaged} unmanaged entries`}. To list them:{" "}
            <code>plumbline drift {name} --unmanaged</code>
          </p>
        )}
      </section>
      {!planFirst && plans}
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
  );
}

/** Whether a plan changes the target or is refused. */
function hasContent(plan: TargetView["plan"]): boolean {
  if (plan?.json === undefined) return plan !== undefined;
  return plan.json.changes.length + plan.json.operations.length + plan.json.refusals.length > 0;
}

/** Text for a target without drift. It is in sync only if no commit is pending and the last pass was successful. */
function nothingDrifted({ state, pending }: FleetRow): { readonly title: string; readonly text: string } {
  if (state === "new") return { title: "Not checked yet", text: "The first pass has not ended." };
  if (state === "in-sync") return { title: "No drift", text: "The target matches git." };
  if (pending > 0)
    return {
      title: "Nothing changed manually",
      text: `${plural(pending, "change")} of the commit ${pending === 1 ? "is" : "are"} not applied.`,
    };
  return { title: "No manual changes known", text: "The target may still differ from git." };
}
