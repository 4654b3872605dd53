import { shapeAt } from "../core/tree/lookup.js";
import type { Shape } from "../core/tree/shape.js";
import type { SourceMap } from "../desired/source-map.js";
import type { Attribution, Change } from "../plan/diff/change.js";
import { block, type DetailLine, difference } from "./describe.js";
import { shownPlace, TOP_LEVEL } from "./shown-place.js";

type ChangeSign = "+" | "-" | "~" | ">" | "!";

/** One entry or setting with all its changes. */
export interface Item {
  readonly mark: ChangeSign;
  readonly name: string;
  readonly details: readonly DetailLine[];
  /** Position of a new rule: `after web-to-db`, or `at the top`. */
  readonly place?: string | undefined;
  /** `file:line` that declares it. */
  readonly source: string | undefined;
  readonly attribution: Attribution | undefined;
  /** The changes in this item. */
  readonly changes: readonly Change[];
}

/** The items of one list or container. */
export interface Section {
  readonly scope: string;
  readonly group: string;
  readonly items: readonly Item[];
}

export interface Attributed {
  readonly change: Change;
  readonly attribution?: Attribution | undefined;
}

/** Finds the line that declares a value. */
export type Places = Pick<SourceMap, "locate">;

/** Groups changes by list and joins the changes of one entry. Lists and entries keep the order of their first occurrence. */
export function sectionsOf(changes: readonly Attributed[], shape: Shape, sources: Places | undefined): Section[] {
  const sections = new Map<string, { scope: string; group: string; items: Map<string, Item> }>();
  for (const { change, attribution } of changes) {
    const place = shownPlace(change.path, shape);
    const inList = change.kind === "order";
    const group = inList
      ? [place.group, place.item, place.rest].filter((part) => part !== "" && part !== TOP_LEVEL).join("/")
      : place.group;
    const key = `${place.scope}\n${group}`;
    const section = sections.get(key) ?? { scope: place.scope, group, items: new Map<string, Item>() };
    sections.set(key, section);
    const name = inList ? "order" : place.item;
    const made = itemOf(change, name, place.rest, sources, attribution, shapeAt(change.path, shape));
    const known = section.items.get(name);
    section.items.set(
      name,
      known === undefined
        ? made
        : {
            ...known,
            details: [...known.details, ...made.details],
            attribution: known.attribution ?? made.attribution,
            changes: [...known.changes, change],
          },
    );
  }
  return [...sections.values()].map(({ scope, group, items }) => ({ scope, group, items: [...items.values()] }));
}

function itemOf(
  change: Change,
  name: string,
  rest: string,
  sources: Places | undefined,
  attribution: Attribution | undefined,
  shape: Shape,
): Item {
  const changes = [change];
  const isSingleLine = rest === "";
  const at = (origin: number) => {
    const place = sources?.locate(origin);
    return place === undefined ? undefined : `${place.file}:${place.line}`;
  };
  const under = (lines: readonly DetailLine[]): DetailLine[] =>
    isSingleLine
      ? [...lines]
      : lines.length === 1
        ? lines.map((line) => ({ ...line, text: `${rest}: ${line.text}` }))
        : [{ mark: " ", text: `${rest}:` }, ...lines.map((line) => ({ ...line, text: `  ${line.text}` }))];
  switch (change.kind) {
    case "missing":
      return {
        mark: isSingleLine ? "+" : "~",
        name,
        place: change.follows === undefined ? undefined : positionAfter(change.follows),
        source: at(change.after.origin),
        attribution,
        changes,
        details: under(block(change.after, shape).map((text) => ({ mark: "+", text }))),
      };
    case "extra":
      return {
        mark: isSingleLine ? "-" : "~",
        name,
        source: undefined,
        attribution,
        changes,
        details: under(block(change.before, shape).map((text) => ({ mark: "-", text }))),
      };
    case "unmanaged":
      return {
        mark: "!",
        name,
        source: undefined,
        attribution,
        changes,
        details: block(change.before, shape).map((text, line) => ({ mark: " ", text: line === 0 ? `unmanaged: ${text}` : text })),
      };
    case "differs":
      return {
        mark: "~",
        name,
        source: at(change.after.origin),
        attribution,
        changes,
        details: under(difference(change.before, change.after)),
      };
    case "renamed":
      return {
        mark: "~",
        name,
        source: at(change.after.origin),
        attribution,
        changes,
        details: [{ mark: "~", text: `renamed from ${change.from}` }],
      };
    case "order":
      return { mark: ">", name, source: undefined, attribution, changes, details: orderLines(change.after, change.moved) };
  }
}

const SHOWN_MOVES = 12;

/** Returns the position behind a rule. An empty name: the top. */
export function positionAfter(name: string): string {
  return name === "" ? "at the top" : `after ${name}`;
}

/** Returns the new position of each moved entry, of which the first ones are shown. */
export function movesIn({ after, moved }: { readonly after: readonly string[]; readonly moved: readonly string[] }): string[] {
  const position = new Map(after.map((name, i) => [name, i]));
  return moved.slice(0, SHOWN_MOVES).map((name) => {
    const i = position.get(name) ?? -1;
    return i <= 0 ? `${name} to the top` : `${name} after ${after[i - 1]}`;
  });
}

function orderLines(after: readonly string[], moved: readonly string[]): DetailLine[] {
  const lines = movesIn({ after, moved }).map((text): DetailLine => ({ mark: "~", text }));
  return moved.length > SHOWN_MOVES ? [...lines, { mark: " ", text: `and ${moved.length - SHOWN_MOVES} more moves` }] : lines;
}
