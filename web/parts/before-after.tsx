import type { ComponentChildren } from "preact";
import { useMemo, useState } from "preact/hooks";
import type { DriftView } from "../../src/agent/page/view.ts";
import { plural } from "../data/state-labels.ts";
import { type Line, linesOf, membersOf } from "../data/tree.ts";

const SHOWN = 24;

/** Shows the running configuration next to the desired one. */
export function BeforeAfter({ change }: { readonly change: DriftView }) {
  const { kind, before, after, moved, from, to } = change;
  if (kind === "renamed") return <Sides running={<Text value={from ?? ""} sign="del" />} wanted={<Text value={to ?? ""} sign="ins" />} />;
  if (kind === "order") return <Order before={list(before)} after={list(after)} moved={moved ?? []} />;
  if (kind === "missing") return <Sides running={<None words="not there" />} wanted={<Tree xml={text(after)} sign="ins" />} />;
  if (kind === "unmanaged") return <Sides running={<Tree xml={text(before)} sign="del" />} wanted={<None words="not declared" />} />;
  if (kind === "extra") return <Sides running={<Tree xml={text(before)} sign="del" />} wanted={<None words="not wanted" />} />;
  return <Differs before={text(before)} after={text(after)} />;
}

function Differs({ before, after }: { readonly before: string; readonly after: string }) {
  const lists = useMemo(() => [membersOf(before), membersOf(after)] as const, [before, after]);
  const [old, wanted] = lists;
  if (old === undefined && wanted === undefined)
    return <Sides running={<Tree xml={before} sign="del" />} wanted={<Tree xml={after} sign="ins" />} />;
  return (
    <Sides
      running={<Members of={old ?? []} without={wanted ?? []} sign="del" />}
      wanted={<Members of={wanted ?? []} without={old ?? []} sign="ins" />}
    />
  );
}

function Sides({ running, wanted }: { readonly running: ComponentChildren; readonly wanted: ComponentChildren }) {
  return (
    <div class="sides">
      <div class="side">
        <p class="side-title">On the target</p>
        {running}
      </div>
      <div class="side">
        <p class="side-title">In git</p>
        {wanted}
      </div>
    </div>
  );
}

type Sign = "ins" | "del";

function Tree({ xml, sign }: { readonly xml: string; readonly sign: Sign }) {
  const lines = useMemo(() => linesOf(xml), [xml]);
  const [all, setAll] = useState(false);
  const [only] = lines;
  if (lines.length === 1 && only?.value !== undefined) return <Text value={only.value} sign={sign} />;
  const shown = all ? lines : lines.slice(0, SHOWN);
  return (
    <div class="lines">
      {shown.map((line, i) => (
        <OneLine key={i} line={line} sign={sign} />
      ))}
      {lines.length > shown.length && (
        <button type="button" class="quiet" onClick={() => setAll(true)}>
          {plural(lines.length - shown.length, "more line")}
        </button>
      )}
    </div>
  );
}

const INDENT = 14;

function OneLine({ line: { depth, name, value }, sign }: { readonly line: Line; readonly sign: Sign }) {
  return (
    <div class="line" style={{ paddingLeft: `${depth * INDENT}px` }}>
      <span class="line-name">{name}</span>
      {value !== undefined && <Text value={value} sign={sign} />}
    </div>
  );
}

/** Uses `ins` and `del`, which screen readers announce and printers show. */
function Text({ value, sign: Tag }: { readonly value: string; readonly sign: Sign }) {
  return <Tag class="value">{value === "" ? "(empty)" : value}</Tag>;
}

function Members({ of, without, sign: Tag }: { readonly of: readonly string[]; readonly without: readonly string[]; readonly sign: Sign }) {
  const others = new Set(without);
  if (of.length === 0) return <None words="empty" />;
  return (
    <ul class="members">
      {of.map((member) => (
        <li key={member}>{others.has(member) ? <span class="value">{member}</span> : <Tag class="value">{member}</Tag>}</li>
      ))}
    </ul>
  );
}

function Order({
  before,
  after,
  moved,
}: {
  readonly before: readonly string[];
  readonly after: readonly string[];
  readonly moved: readonly string[];
}) {
  const touched = new Set(moved);
  const side = (names: readonly string[], Tag: Sign) => (
    <ol class="order">
      {names.slice(0, SHOWN).map((name) => (
        <li key={name}>{touched.has(name) ? <Tag class="value">{name}</Tag> : name}</li>
      ))}
      {names.length > SHOWN && <li class="dim">{plural(names.length - SHOWN, "more")}</li>}
    </ol>
  );
  return <Sides running={side(before, "del")} wanted={side(after, "ins")} />;
}

function None({ words }: { readonly words: string }) {
  return <p class="none">{words}</p>;
}

function text(value: DriftView["before"]): string {
  return typeof value === "string" ? value : (value ?? []).join(", ");
}

function list(value: DriftView["before"]): readonly string[] {
  return typeof value === "string" || value === undefined ? [] : value;
}
