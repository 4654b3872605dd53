import { isMap, isScalar, type Pair, type YAMLMap } from "yaml";
import type { Path } from "../../core/tree/path.js";
import { parseXPath, type Step } from "../../core/tree/xpath/xpath.js";
import { scalar } from "../../import/scalar.js";
import type { Token, Tokens } from "./tokens.js";

/** Replaces the text between two offsets. */
export interface Edit {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/** Returns the edit that writes another text in the same quotes. */
export function rewritten({ scalar: { type }, start, end, inFlow, isKey }: Token, text: string): Edit {
  const escaped =
    type === "QUOTE_SINGLE"
      ? `'${text.replaceAll("'", "''")}'`
      : type === "QUOTE_DOUBLE"
        ? JSON.stringify(text)
        : scalar(text, { flow: inFlow, key: isKey, indent: undefined });
  return { start, end, text: escaped };
}

/** Returns the edits that make an entry `$was: from`, or that delete `$was` if the entry gets its former name again. */
export function formerName(tokens: Tokens, body: YAMLMap | undefined, from: string, to: string): readonly Edit[] {
  if (body?.range === undefined || body.range === null) return [];
  const was = body.items.find(({ key }) => isScalar(key) && key.value === "$was");
  if (was !== undefined) return isScalar(was.value) && was.value.value === to ? [removed(tokens, body, was)] : [];
  const written = `$was: ${scalar(from, { flow: body.flow === true, key: false, indent: undefined })}`;
  const [first] = body.items;
  if (body.flow === true) {
    const at = body.range[0] + 1;
    const rest = first === undefined ? " " : /^\s/.test(tokens.text.slice(at)) ? "," : ", ";
    return [{ start: at, end: at, text: ` ${written}${rest}` }];
  }
  const name = body.items.find(({ key }) => isScalar(key) && key.value === "name") ?? first;
  const key = tokens.tokenOf(name?.key);
  if (name === undefined || key === undefined) return [];
  const { character } = tokens.position(key.start);
  const indent = " ".repeat(character);
  if (isScalar(name.key) && name.key.value === "name" && isScalar(name.value)) {
    const newline = tokens.text.indexOf("\n", key.start);
    const at = newline === -1 ? tokens.text.length : newline;
    return [{ start: at, end: at, text: `\n${indent}${written}` }];
  }
  return [{ start: key.start, end: key.start, text: `${written}\n${indent}` }];
}

/** Returns the edit that deletes a pair of a map. */
function removed(tokens: Tokens, body: YAMLMap, pair: Pair): Edit {
  const key = tokens.tokenOf(pair.key);
  const value = tokens.tokenOf(pair.value);
  const [start, end] = [key?.start ?? 0, value?.end ?? 0];
  const { text } = tokens;
  if (body.flow === true) {
    const after = /^\s*,\s*/.exec(text.slice(end))?.[0].length;
    if (after !== undefined) return { start, end: end + after, text: "" };
    const before = /,\s*$/.exec(text.slice(0, start))?.[0].length ?? 0;
    return { start: start - before, end, text: "" };
  }
  const next = body.items[body.items.indexOf(pair) + 1];
  const following = tokens.tokenOf(next?.key);
  if (following !== undefined) return { start, end: following.start, text: "" };
  const lineStart = text.lastIndexOf("\n", start);
  return { start: lineStart, end, text: "" };
}

/** A name in an XPath of a document, and whether it is the name of the object. */
export interface Mention {
  readonly edit: Edit;
  readonly means: "object" | "other" | "unsure";
}

const PREDICATE = /\[@name=(''|'|\\"|")((?:(?!\1).)*)\1\]/g;

/**
 * Finds a name in the predicates of an XPath. An XPath that is too general to compare is `unsure`.
 * @param base The place where a relative XPath starts.
 */
export function mentionsIn(raw: string, start: number, name: { from: string; to: string; at: Path }, base: Path): readonly Mention[] {
  return [...raw.matchAll(PREDICATE)].flatMap(({ 0: predicate, 1: quote = "'", 2: value, index }): Mention[] => {
    if (value !== name.from) return [];
    const at = start + index + "[@name=".length + quote.length;
    const edit = { start: at, end: at + value.length, text: name.to };
    const before = raw
      .slice(0, index + predicate.length)
      .replaceAll("''", "'")
      .replaceAll('\\"', '"');
    return [{ edit, means: meaning(before, name.at, base) }];
  });
}

function meaning(xpath: string, object: Path, base: Path): Mention["means"] {
  let steps: readonly Step[];
  let isAbsolute: boolean;
  try {
    ({ steps, absolute: isAbsolute } = parseXPath(xpath));
  } catch {
    return "unsure";
  }
  const wanted = object.steps();
  const before = isAbsolute ? [] : base.steps();
  if (!steps.every(isPlain)) return steps.at(-2)?.tag === wanted.at(-2)?.tag || steps.at(-2)?.tag === undefined ? "unsure" : "other";
  const found = [...before.map(({ tag, name }) => [tag, name]), ...steps.map((step) => [step.tag, nameIn(step)])];
  const isSame = found.length === wanted.length && wanted.every(({ tag, name }, at) => found[at]?.[0] === tag && found[at]?.[1] === name);
  return isSame ? "object" : "other";
}

function isPlain({ tag, predicates }: Step): boolean {
  return tag !== undefined && (predicates.length === 0 || (predicates.length === 1 && predicates[0]?.kind === "attribute"));
}

function nameIn({ predicates: [predicate] }: Step): string | undefined {
  return predicate?.kind === "attribute" ? predicate.value : undefined;
}

/** Applies edits that do not overlap. */
export function applied(text: string, edits: readonly Edit[]): string {
  let result = text;
  for (const { start, end, text: by } of [...edits].sort((a, b) => b.start - a.start))
    result = result.slice(0, start) + by + result.slice(end);
  return result;
}

/** Returns the scalar value of a key in a map. */
export function textAt(map: unknown, name: string): string | undefined {
  const value = isMap(map) ? map.get(name) : undefined;
  return typeof value === "string" ? value : undefined;
}
