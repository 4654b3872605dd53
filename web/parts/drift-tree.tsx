import { useMemo, useState } from "preact/hooks";
import type { DriftView } from "../../src/agent/page/view.ts";
import { type Branch, treeOf } from "../data/tree.ts";
import { CHANGE_SIGNS, moment, plural } from "../data/words.ts";
import { BeforeAfter } from "./before-after.tsx";
import { shortAge } from "./bits.tsx";

/** So many changes are shown at once; the rest waits for a press. */
const SHOWN = 100;

/** Changes in the places where they lie, each with before and after. */
export function DriftTree({ changes, now }: { readonly changes: readonly DriftView[]; readonly now: number }) {
  const [most, setMost] = useState(SHOWN);
  const tree = useMemo(() => treeOf(changes.slice(0, most)), [changes, most]);
  return (
    <div class="tree">
      <Sub branch={tree} now={now} isRoot />
      {changes.length > most && (
        <button type="button" onClick={() => setMost(most + SHOWN)}>
          {plural(changes.length - most, "more change")}
        </button>
      )}
    </div>
  );
}

function Sub({ branch, now, isRoot = false }: { readonly branch: Branch; readonly now: number; readonly isRoot?: boolean }) {
  const { label, changes, branches } = branch;
  const isLeaf = branches.length === 0 && changes.length > 0;
  // The last steps of a leaf are the name of what changed; where it lies has been said above it.
  const named = isLeaf ? (isRoot ? 2 : label.length) : 0;
  const place = label.slice(0, label.length - named);
  const name = isLeaf ? label.slice(label.length - named).join(" › ") : undefined;
  return (
    <div class={isRoot ? "branch is-root" : "branch"}>
      {place.length > 0 && <Place steps={place} />}
      {changes.map((change) => (
        <Change key={`${change.kind} ${change.xpath}`} change={change} name={name ?? label.at(-1) ?? change.xpath} now={now} />
      ))}
      {branches.map((each) => (
        <Sub key={each.label.join("/")} branch={each} now={now} />
      ))}
    </div>
  );
}

function Place({ steps }: { readonly steps: readonly string[] }) {
  return (
    <p class="place">
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
    </p>
  );
}

function Change({ change, name, now }: { readonly change: DriftView; readonly name: string; readonly now: number }) {
  const { mark, word } = CHANGE_SIGNS[change.kind];
  return (
    <article class={`change is-${change.kind}`} tabIndex={-1} data-stop="" title={change.xpath}>
      <header>
        <span class="mark" aria-hidden="true">
          {mark}
        </span>
        <b class="change-name">{name}</b>
        <span class="change-word">{word}</span>
        <Who change={change} now={now} />
      </header>
      <BeforeAfter change={change} />
    </article>
  );
}

function Who({ change, now }: { readonly change: DriftView; readonly now: number }) {
  const { author, authorTime, firstSeen = 0, source } = change;
  return (
    <span class="change-who dim">
      by <b>{author ?? "unknown"}</b>
      {authorTime !== undefined && ` at ${authorTime}`}
      {firstSeen > 0 && <span title={moment(firstSeen)}> · seen for {shortAge(now - firstSeen)}</span>}
      {source !== undefined && (
        <code>
          {" "}
          {source.file}:{source.line}
        </code>
      )}
    </span>
  );
}
