import { PlumblineError } from "../../errors.js";
import { Path } from "../path.js";
import type { Step, XPath } from "./expression.js";
import { parseXPath } from "./parse.js";

/**
 * Returns the path of an expression that addresses exactly one node: child steps, each without a predicate, with one `[@name='v']` or with
 * one `[text()='v']`. Relative expressions begin at `base`. Throws `xpath-malformed`, and `xpath-not-exact` for `*`, positions, `or`, and
 * an `entry` or `member` without a predicate.
 */
export function parsePath(text: string, base: Path = Path.root): Path {
  const sibling = entryBeforeLast(text);
  if (sibling !== undefined) return sibling;
  const path = exactPath(parseXPath(text), base);
  lastList = listOf(path, text);
  return path;
}

/** A path, and its text followed by `/`. */
interface List {
  readonly path: Path;
  readonly text: string;
}

/** The list of the last parsed path. Ledgers and reports contain thousands of entries of one list in sequence. */
let lastList: List | undefined;

function listOf(path: Path, text: string): List | undefined {
  if (path.name === undefined || path.parent === undefined) return undefined;
  const before = `${path.parent}/`;
  return text.startsWith(before) ? { path: path.parent, text: before } : undefined;
}

const ENTRY = "entry[@name='";

/**
 * Parses a text that consists of the last list and one entry, in the form that `Path` writes. Returns undefined for other texts, which the
 * parser handles.
 */
function entryBeforeLast(text: string): Path | undefined {
  if (lastList === undefined || !text.startsWith(lastList.text) || !text.startsWith(ENTRY, lastList.text.length)) return undefined;
  const from = lastList.text.length + ENTRY.length;
  const end = text.indexOf("'", from);
  return end === text.length - 2 && text.endsWith("]") ? lastList.path.entry(text.slice(from, end)) : undefined;
}

/** Like `parsePath`, for a parsed expression. */
function exactPath(xpath: XPath, base: Path = Path.root): Path {
  let path = xpath.absolute ? Path.root : base;
  for (const step of xpath.steps) path = extend(path, step, xpath.text);
  return path;
}

function extend(path: Path, step: Step, text: string): Path {
  const { tag } = step;
  const [predicate, second] = step.predicates;
  if (tag === undefined) throw notExact(text, "* matches any element");
  if (predicate === undefined) {
    if (tag === "entry" || tag === "member") throw notExact(text, `"${tag}" does not select one`);
    return path.child(tag);
  }
  if (second === undefined) {
    if (predicate.kind === "attribute" && predicate.name === "name") return path.entry(predicate.value, tag);
    if (predicate.kind === "text") return path.member(predicate.value, tag);
  }
  throw notExact(text, `"${tag}" is chosen by something else than its name or its text`);
}

function notExact(text: string, problem: string): PlumblineError {
  return new PlumblineError("xpath-not-exact", `The path ${text} may match several nodes: ${problem}.`, {
    where: { xpath: text },
    next: "Choose one node with [@name='…'] or [text()='…'] in each step that needs it.",
  });
}
