import { useMemo, useState } from "preact/hooks";
import type { DriftView } from "../../src/agent/page/view.ts";
import { useChange } from "../data/hooks.ts";
import { CHANGE_SIGNS, PLANNED_WORDS, plural } from "../data/state-labels.ts";
import { moment } from "../data/time.ts";
import { type Branch, fitting, treeOf } from "../data/tree.ts";
import { BeforeAfter } from "./before-after.tsx";
import { Line } from "./commit.tsx";
import { shortAge } from "./small-parts.tsx";

/** Number of changes that are shown initially. */
const SHOWN = 100;
/** Number of changes from which a search field is shown, and only names at first. */
const MANY = 12;

interface TreeProps {
  /** Drift shows authors and times. A plan shows the action that is planned. */
  readonly of: "drift" | "plan";
  readonly changes: readonly DriftView[];
  /** Commit of the source lines. */
  readonly commit: string | undefined;
  readonly now: number;
}

/** Properties that all parts of a tree share. */
interface Shared extends Pick<TreeProps, "of" | "commit" | "now"> {
  readonly isDense: boolean;
}

/** Shows changes in a tree of their paths, each with before and after. */
export function ChangeTree({ of, changes, commit, now }: TreeProps) {
  const [most, setMost] = useState(SHOWN);
  const [words, setWords] = useState("");
  const [kind, setKind] = useState("");
  const [chosen, setDense] = useState<boolean>();
  const isDense = chosen ?? changes.length >= MANY;
  const found = useMemo(() => fitting(changes, words, kind), [changes, words, kind]);
  const tree = useMemo(() => treeOf(found.slice(0, most)), [found, most]);
  return (
    <div class="tree">
      {changes.length >= MANY && (
        <div class="tools">
          <input
            type="search"
            aria-label={of === "drift" ? "Search drift" : "Search plan"}
            placeholder="Search place, person …"
            value={words}
            onInput={(event) => setWords(event.currentTarget.value)}
          />
          <select aria-label="Kind of change" value={kind} onChange={(event) => setKind(event.currentTarget.value)}>
            <option value="">all</option>
            {KINDS.map((key) => (
              <option key={key} value={key}>
                {wordOf(key, of)}
              </option>
            ))}
          </select>
          <button type="button" aria-pressed={isDense} onClick={() => setDense(!isDense)}>
            Names only
          </button>
          <span class="dim found" role="status">
            {found.length === changes.length ? "" : `${found.length.toLocaleString("en")} shown`}
          </span>
        </div>
      )}
      {found.length === 0 ? <p class="dim">No change fits.</p> : <Sub branch={tree} shared={{ of, commit, now, isDense }} isRoot />}
      {found.length > most && (
        <button type="button" onClick={() => setMost(most + SHOWN)}>
          {plural(found.length - most, "more change")}
        </button>
      )}
    </div>
  );
}

const KINDS = Object.keys(CHANGE_SIGNS) as readonly DriftView["kind"][];

function wordOf(kind: DriftView["kind"], of: TreeProps["of"]): string {
  return of === "drift" ? CHANGE_SIGNS[kind].word : PLANNED_WORDS[kind];
}

function Sub({ branch, shared, isRoot = false }: { readonly branch: Branch; readonly shared: Shared; readonly isRoot?: boolean }) {
  const { label, changes, branches } = branch;
  const isLeaf = branches.length === 0 && changes.length > 0;
  // The last steps of a leaf are the name of the change. The other steps are in its heading.
  const named = isLeaf ? (isRoot ? 2 : label.length) : 0;
  const place = label.slice(0, label.length - named);
  const name = isLeaf ? label.slice(label.length - named).join(" › ") : undefined;
  const inside = (
    <>
      {changes.map((change) => (
        <Change key={`${change.kind} ${change.xpath}`} change={change} name={name ?? label.at(-1) ?? change.xpath} shared={shared} />
      ))}
      {branches.map((each) => (
        <Sub key={each.label.join("/")} branch={each} shared={shared} />
      ))}
    </>
  );
  const kind = isRoot ? "branch is-root" : "branch";
  if (place.length === 0) return <div class={kind}>{inside}</div>;
  return (
    <details class={kind} open>
      <Place steps={place} count={countOf(branch)} />
      {inside}
    </details>
  );
}

function countOf({ changes, branches }: Branch): number {
  return branches.reduce((sum, branch) => sum + countOf(branch), changes.length);
}

function Place({ steps, count }: { readonly steps: readonly string[]; readonly count: number }) {
  return (
    <summary class="place">
      {steps.map((step, i) => (
        <span key={`${i} ${step}`}>
          {i > 0 && (
            <span class="sep" aria-hidden="true">
              ›
            </span>
          )}
          {step}
        </span>
      ))}
      <span class="count"> {count}</span>
    </summary>
  );
}

function Change({ change, name, shared }: { readonly change: DriftView; readonly name: string; readonly shared: Shared }) {
  const { mark } = CHANGE_SIGNS[change.kind];
  const [isOpen, setOpen] = useState(!shared.isDense);
  useChange(String(shared.isDense), () => setOpen(!shared.isDense));
  return (
    <article class={`change is-${change.kind}`} tabIndex={-1} data-stop="" title={change.xpath}>
      <header>
        <button type="button" class="change-head" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
          <span class="mark" aria-hidden="true">
            {mark}
          </span>
          <b class="change-name">{name}</b> <span class="change-word">{wordOf(change.kind, shared.of)}</span>
        </button>
        {shared.of === "drift" ? <Author change={change} shared={shared} /> : <Planned change={change} shared={shared} />}
      </header>
      {isOpen && <BeforeAfter change={change} />}
    </article>
  );
}

/** Shows the place of a new or moved rule, and the line that declares the change. */
function Planned({ change: { follows, source }, shared: { commit } }: { readonly change: DriftView; readonly shared: Shared }) {
  return (
    <span class="change-who dim">
      {follows !== undefined && (follows === "" ? "at the top" : `after ${follows}`)}
      {source !== undefined && (
        <>
          {" "}
          <Line place={source} commit={commit} />
        </>
      )}
    </span>
  );
}

function Author({ change, shared: { commit, now } }: { readonly change: DriftView; readonly shared: Shared }) {
  const { author, authorTime, firstSeen = 0, source } = change;
  return (
    <span class="change-who dim">
      by <b>{author ?? "unknown"}</b>
      {authorTime !== undefined && authorTime !== "" && <span title="By the target's own clock">{authorTime}</span>}
      {firstSeen > 0 && <span title={moment(firstSeen)}> · seen for {shortAge(now - firstSeen)}</span>}
      {source !== undefined && (
        <>
          {" "}
          <Line place={source} commit={commit} />
        </>
      )}
    </span>
  );
}
