import type { Command } from "../../outcome/outcome.js";
import { count, driftSummary, formatAuthor, planSummary, targetTitle } from "../format-counts.js";
import type { Fold, SharedItem } from "./folds.js";
import { listed, NAME } from "./names.js";
import { clip, codeSpan, fenceFor, htmlCode } from "./text.js";

const LINE = 400;
const DETAILS = 40;
const CLOSE = "</details>\n";
/** Reserved for a line such as `… 12 more changes`. */
const MORE = 120;

export interface Rendered {
  readonly text: string;
  /** Number of omitted changes, counted for each target. */
  readonly hidden: number;
}

/** Returns the number of changes in a fold, counted for each target. */
export function changesIn(fold: Fold): number {
  return fold.items.reduce((sum, { item }) => sum + item.changes.length, 0) * fold.outcomes.length;
}

/** Renders a fold with at most `room` characters. Undefined if even its first item does not fit. */
export function renderFold(command: Command, fold: Fold, open: boolean, room: number): Rendered | undefined {
  const head = `<details${open ? " open" : ""}><summary><b>${titleOf(fold)}: ${summaryOf(command, fold)}</summary>\n\n`;
  const body = new Body(room - head.length - CLOSE.length - MORE);
  for (const section of sectionsOf(fold.items)) body.section(section, command === "drift");
  for (const note of fold.notes) body.note(note);
  if (body.isEmpty) return undefined;
  const hidden = body.hiddenChanges * fold.outcomes.length;
  const left = [hidden > 0 ? count(hidden, "more change") : "", body.hiddenNotes > 0 ? count(body.hiddenNotes, "more note") : ""];
  const more = left.some((words) => words !== "") ? `\n… ${left.filter((words) => words !== "").join(", ")}\n` : "";
  return { text: `${head}${body.text}${more}\n${CLOSE}`, hidden };
}

/** The part of a fold that fits. After the first item that does not fit in its section, the rest is only counted. */
class Body {
  text = "";
  hiddenChanges = 0;
  hiddenNotes = 0;
  #room: number;

  constructor(room: number) {
    this.#room = room;
  }

  get isEmpty(): boolean {
    return this.text === "";
  }

  section(items: readonly [SharedItem, ...SharedItem[]], attributed: boolean): void {
    const blocks = items.map((item) => linesOf(item, attributed));
    const fence = fenceFor(blocks.flat());
    const [{ scope, group }] = items;
    const head = `**${codeSpan(clip(group, NAME * 2))}**${scope === "" ? "" : ` ${codeSpan(clip(scope, NAME * 2))}`}\n${fence}diff\n`;
    let room = this.#room - head.length - fence.length - 1;
    const shown: string[] = [];
    for (const [i, lines] of blocks.entries()) {
      const text = `${lines.join("\n")}\n`;
      if (text.length > room) this.hiddenChanges += items[i]?.item.changes.length ?? 0;
      else {
        room -= text.length;
        shown.push(text);
      }
    }
    if (shown.length === 0) return;
    this.text += `${head}${shown.join("")}${fence}\n`;
    this.#room = room;
  }

  note(line: string): void {
    const text = this.text.endsWith("`\n") ? `\n${line}\n` : `${line}\n`;
    if (text.length > this.#room) this.hiddenNotes++;
    else {
      this.text += text;
      this.#room -= text.length;
    }
  }
}

function sectionsOf(items: readonly SharedItem[]): (readonly [SharedItem, ...SharedItem[]])[] {
  const sections = new Map<string, [SharedItem, ...SharedItem[]]>();
  for (const item of items) {
    const key = `${item.scope}\n${item.group}`;
    const known = sections.get(key);
    if (known === undefined) sections.set(key, [item]);
    else known.push(item);
  }
  return [...sections.values()];
}

/** `diff` blocks colour lines that begin with + or -. `!` marks a change. */
function linesOf(shared: SharedItem, attributed: boolean): string[] {
  const { mark, name, details } = shared.item;
  const note = [attributed ? whoOf(shared) : placeOf(shared), sourceOf(shared)].filter((part) => part !== "").join(", ");
  const lines = [`${mark === "~" || mark === ">" ? "!" : mark} ${name}${note === "" ? "" : `   # ${note}`}`];
  for (const detail of details.slice(0, DETAILS)) lines.push(`${detail.mark === "~" ? "!" : detail.mark}     ${detail.text}`);
  if (details.length > DETAILS) lines.push(`      … ${count(details.length - DETAILS, "more line")}`);
  return lines.map((line) => clip(line, LINE));
}

function whoOf({ item, others }: SharedItem): string {
  const who = item.attribution;
  if (others.every(({ attribution }) => attribution?.admin === who?.admin && attribution?.time === who?.time)) return formatAuthor(who);
  if (others.every(({ attribution }) => attribution?.admin === who?.admin)) return who === undefined ? "by unknown" : `by ${who.admin}`;
  return "by several";
}

function placeOf({ item, others }: SharedItem): string {
  return others.every(({ place }) => place === item.place) ? (item.place ?? "") : "";
}

function sourceOf({ item, others }: SharedItem): string {
  return others.every(({ source }) => source === item.source) ? (item.source ?? "") : "";
}

function titleOf({ outcomes }: Fold): string {
  const [first] = outcomes;
  if (first !== undefined && outcomes.length === 1) return `${htmlCode(clip(targetTitle(first), NAME * 2))}</b>`;
  const names = outcomes.map(({ target }) => target);
  return `${outcomes.length.toLocaleString("en")} targets</b> ${listed(names, htmlCode)}`;
}

function summaryOf(command: Command, fold: Fold): string {
  const changes = fold.items.flatMap(({ item }) => item.changes);
  const words = command === "drift" ? driftSummary(changes) : planSummary(changes);
  return words === "" ? count(fold.notes.length, "note") : `${words}${fold.outcomes.length > 1 ? " on each" : ""}`;
}
