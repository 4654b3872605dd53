import { useMemo, useState } from "preact/hooks";
import type { OperationView, Place, PlanView, TargetView } from "../../src/agent/page/view.ts";
import { plural } from "../data/state-labels.ts";
import { linesOf, placesOf, positionsOf, stepsOf } from "../data/tree.ts";
import { ChangeTree } from "./change-tree.tsx";
import { Line } from "./commit.tsx";
import { Ago, Empty } from "./small-parts.tsx";

const SHOWN = 50;

interface PlanProps {
  readonly plan: TargetView["plan"];
  /** There is room for the fields of each change. Otherwise only the operations are shown. */
  readonly isWide: boolean;
  readonly now: number;
}

/** Shows the newest plan: its effect on reachability, its changes, and the operations in order. */
export function PlanPart({ plan, isWide, now }: PlanProps) {
  if (plan === undefined) return <Empty title="No plan yet" text="The first pass creates one. To create it now, use Plan now." />;
  const { json, planned, digest, commit } = plan;
  return (
    <>
      <p class="dim">
        {planned > 0 && (
          <>
            <Ago at={planned} now={now} suffix=" ago" /> ·{" "}
          </>
        )}
        <code title={digest}>{digest.slice(0, 12)}</code>
        {json !== undefined && ` · ${summaryOf(json)}`}
      </p>
      {json === undefined ? (
        <p>The plan is too long to be stored. Run `plumbline plan`.</p>
      ) : (
        <Content plan={json} commit={commit} isWide={isWide} now={now} />
      )}
    </>
  );
}

interface ContentProps {
  readonly plan: PlanView;
  readonly commit: string | undefined;
  readonly isWide: boolean;
  readonly now: number;
}

function Content({ plan, commit, isWide, now }: ContentProps) {
  const [most, setMost] = useState(SHOWN);
  const { meaning, operations, changes, reachable = [] } = plan;
  const showsChanges = isWide && changes.length > 0;
  const placeOf = useMemo(() => placesOf(changes), [changes]);
  const positionOf = useMemo(() => positionsOf(changes), [changes]);
  return (
    <>
      {meaning.map(({ xpath, message }) => (
        <p key={xpath} class="banner is-drifted">
          <b>Changes access</b> {message}
        </p>
      ))}
      {reachable.length > 0 && <pre class="reachable">{reachable.join("\n").trim()}</pre>}
      {showsChanges && <ChangeTree of="plan" changes={changes} commit={commit} now={now} />}
      {operations.length > 0 && (
        <details open={!showsChanges}>
          <summary>{plural(operations.length, "operation")} in order</summary>
          <ol class="operations">
            {operations.slice(0, most).map((operation) => (
              <Operation
                key={`${operation.action} ${operation.xpath} ${operation.phase}`}
                operation={operation}
                place={placeOf(operation.xpath)}
                position={positionOf(operation)}
                commit={commit}
              />
            ))}
          </ol>
          {operations.length > most && (
            <button type="button" onClick={() => setMost(most + SHOWN)}>
              {plural(operations.length - most, "more operation")}
            </button>
          )}
        </details>
      )}
    </>
  );
}

interface OperationProps {
  readonly operation: OperationView;
  readonly place: Place | undefined;
  /** Where new rules go. */
  readonly position: string | undefined;
  readonly commit: string | undefined;
}

function Operation({ operation, place, position, commit }: OperationProps) {
  const { action, xpath, element, where, dst, newname } = operation;
  const steps = stepsOf(xpath);
  const more = [where, dst, newname, position].filter((part) => part !== undefined).join(" ");
  return (
    <li>
      <span class={`action is-${action}`}>{action}</span>
      <span class="op-path" title={xpath}>
        <span class="dim">{steps.at(-2)} › </span>
        {steps.at(-1)} {more}
        {place !== undefined && (
          <span class="op-line">
            <Line place={place} commit={commit} />
          </span>
        )}
      </span>
      {element !== undefined && (
        <details>
          <summary>content</summary>
          <div class="lines">
            {linesOf(element).map((line, i) => (
              <div key={i} class="line" style={{ paddingLeft: `${line.depth * 14}px` }}>
                <span class="line-name">{line.name}</span>
                {line.value !== undefined && <span class="value">{line.value}</span>}
              </div>
            ))}
          </div>
        </details>
      )}
    </li>
  );
}

function summaryOf({ operations, refusals, commitOnly }: PlanView): string {
  if (commitOnly) return "only a commit, without writes";
  if (operations.length === 0) return "no changes";
  return `${plural(operations.length, "operation")}${refusals.length > 0 ? `, refused by ${plural(refusals.length, "guard")}` : ""}`;
}
