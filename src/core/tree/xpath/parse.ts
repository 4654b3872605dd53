import type { ComparisonSign, Predicate, Step, XPath } from "./expression.js";
import { XPathReader } from "./reader.js";

/** Longer signs first, so that `<=` is not read as `<`. */
const COMPARISONS: readonly ComparisonSign[] = ["!=", "<=", ">=", "=", "<", ">"];

/** Maximum nesting of brackets. Typical expressions have one or two levels. */
const MAX_NESTING = 32;

/**
 * Parses the XPath subset: child steps and `*`, each with any number of predicates `[@name='v']`, `[text()='v']`, `[child='v']`, `[n]`,
 * `[position()<n]` (all six comparisons, `last()`), joined by `or`, `and` and brackets; `*[name()='v']` for tags that are not names;
 * `concat()` for texts with both kinds of quotes; a trailing slash. Throws `xpath-malformed` with the position.
 */
export function parseXPath(text: string): XPath {
  const reader = new XPathReader(text);
  const absolute = reader.take("/");
  const steps: Step[] = [];
  reader.skipSpace();
  if (absolute && reader.ended) return { text, absolute, steps };
  do {
    reader.skipSpace();
    if (steps.length > 0 && reader.ended) break;
    steps.push(parseStep(reader));
  } while (reader.take("/"));
  reader.skipSpace();
  if (!reader.ended) throw reader.error(`"${reader.text.charAt(reader.at)}" is not due here`);
  return { text, absolute, steps };
}

function parseStep(reader: XPathReader): Step {
  const tag = reader.take("*") ? quotedName(reader) : reader.name();
  if (tag === undefined && reader.text.charAt(reader.at - 1) !== "*") throw reader.error("the name of an element is due here");
  const predicates: Predicate[] = [];
  while (reader.take("[")) {
    predicates.push(parseOr(reader, 0));
    reader.expect("]");
  }
  return { tag, predicates };
}

/** Parses the `[name()='v']` that `Path` writes for tags that are no XPath names. */
function quotedName(reader: XPathReader): string | undefined {
  const before = reader.at;
  if (reader.take("[") && reader.takeWord("name") && reader.take("(")) {
    reader.expect(")");
    reader.expect("=");
    const name = reader.string();
    reader.expect("]");
    return name;
  }
  reader.at = before;
  return undefined;
}

function parseOr(reader: XPathReader, nesting: number): Predicate {
  return parseJoined(reader, "or", () => parseJoined(reader, "and", () => parseTerm(reader, nesting)));
}

function parseJoined(reader: XPathReader, word: "or" | "and", operand: () => Predicate): Predicate {
  const first = operand();
  if (!reader.takeWord(word)) return first;
  const operands = [first];
  do operands.push(operand());
  while (reader.takeWord(word));
  return { kind: word, operands };
}

function parseTerm(reader: XPathReader, nesting: number): Predicate {
  if (reader.take("(")) {
    if (nesting >= MAX_NESTING) throw reader.error("too many brackets inside brackets");
    const inner = parseOr(reader, nesting + 1);
    reader.expect(")");
    return inner;
  }
  if (reader.take("@")) {
    const name = reader.name();
    if (name === undefined) throw reader.error("the name of an attribute is due here");
    reader.expect("=");
    return { kind: "attribute", name, value: reader.string() };
  }
  const position = parsePlace(reader);
  return position === undefined ? parseNamed(reader) : { kind: "position", comparison: "=", operand: position };
}

/** Parses `n` or `last()`. */
function parsePlace(reader: XPathReader): number | "last" | undefined {
  const before = reader.at;
  const number = reader.number();
  if (number !== undefined) return number;
  if (reader.takeWord("last") && reader.take("(")) {
    reader.expect(")");
    return "last";
  }
  reader.at = before;
  return undefined;
}

function parseNamed(reader: XPathReader): Predicate {
  const name = reader.name();
  if (name === undefined) throw reader.error("a condition is due here");
  if (!reader.take("(")) {
    reader.expect("=");
    return { kind: "child", tag: name, value: reader.string() };
  }
  reader.expect(")");
  if (name === "text") {
    reader.expect("=");
    return { kind: "text", value: reader.string() };
  }
  if (name !== "position") throw reader.error(`${name}() is not known`);
  const comparison = COMPARISONS.find((sign) => reader.take(sign));
  if (comparison === undefined) throw reader.error("a comparison is due here");
  const operand = parsePlace(reader);
  if (operand === undefined) throw reader.error("expected an integer or last()");
  return { kind: "position", comparison, operand };
}
