import { useMemo, useState } from "preact/hooks";
import type { OperationView, Place, PlanView, TargetView } from "../../src/agent/page/view.ts";
import { linesOf, placesOf, positionsOf, stepsOf } from "../data/tree.ts";
import { plural } from "../data/words.ts";
import { Ago, Empty } from "./bits.tsx";
import { Line } from "./commit.tsx";

const SHOWN = 50;

/** Shows the newest plan: its refusals first, then its operations in order. */
export function PlanPart({ plan, now }: { readonly plan: TargetView["plan"]; readonly now: number }) {
  if (plan === undefined) return <Empty title="No plan yet" text="A pass that writes makes one, or Plan now." />;
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
      {json === undefined ? <p>The plan is too long to be kept. Run `plumbline plan`.</p> : <Whole plan={json} commit={commit} />}
    </>
  );
}

function Whole({ plan, commit }: { readonly plan: PlanView; readonly commit: string | undefined }) {
  const [most, setMost] = useState(SHOWN);
  const { refusals, meaning, operations, changes, reachable = [] } = plan;
  const placeOf = useMemo(() => placesOf(changes), [changes]);
  const positionOf = useMemo(() => positionsOf(changes), [changes]);
  return (
    <>
      {refusals.map(({ guard, message, allow, source }) => (
        <div key={`${guard} ${message}`} class="banner is-refused">
          <b>Refused: {guard}</b> {message}
          {source !== undefined && (
            <>
              {" "}
              <Line place={source} commit={commit} />
            </>
          )}
          {allow !== undefined && (
            <>
              {" "}
              By hand it passes once with <code>{allow}</code>
            </>
          )}
        </div>
      ))}
      {meaning.map(({ xpath, message }) => (
        <p key={xpath} class="banner is-drifted">
          <b>Changes access</b> {message}
        </p>
      ))}
      {reachable.length > 0 && <pre class="reachable">{reachable.join("\n").trim()}</pre>}
      {operations.length > 0 && (
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
      )}
      {operations.length > most && (
        <button type="button" onClick={() => setMost(most + SHOWN)}>
          {plural(operations.length - most, "more operation")}
        </button>
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
  if (commitOnly) return "a commit is due, there is nothing to write";
  if (operations.length === 0) return "nothing to do";
  return `${plural(operations.length, "operation")}${refusals.length > 0 ? `, held back by ${plural(refusals.length, "guard")}` : ""}`;
}
