import { randomUUID } from "node:crypto";
import { isObject, type Json } from "./value.js";

/** Digits that a double may not hold; also in strings, and as the beginning of a fraction. */
const MANY_DIGITS = /-?\d{16,}/g;
/** Of this process alone: no sender can write a string that is taken for a number. */
const MARK = `integer-${randomUUID()}-`;

/** Parses JSON; integers that a double cannot hold become `bigint`. Throws SyntaxError. */
export function parseJson(text: string): Json {
  const marked = withMarks(text);
  const value = JSON.parse(marked) as Json;
  return marked === text ? value : restored(value);
}

/** The text with each long integer as a marked string: the parser alone would round it. */
function withMarks(text: string): string {
  const parts: string[] = [];
  let copied = 0;
  /** Where the search for the next string begins; never inside of one. */
  let outside = 0;
  for (const { 0: digits, index } of text.matchAll(MANY_DIGITS)) {
    if (index < outside) continue;
    let quote = text.indexOf('"', outside);
    while (quote !== -1 && quote < index) {
      outside = endOfString(text, quote);
      quote = text.indexOf('"', outside);
    }
    const end = index + digits.length;
    if (index < outside || isPartOfFraction(text[index - 1], text[end])) continue;
    parts.push(text.slice(copied, index), `"${MARK}${digits}"`);
    copied = end;
  }
  return parts.length === 0 ? text : parts.join("") + text.slice(copied);
}

function isPartOfFraction(before: string | undefined, after: string | undefined): boolean {
  return (before !== undefined && ".eE+".includes(before)) || (after !== undefined && ".eE".includes(after));
}

/** Behind the string that begins with the quote at `from`. */
function endOfString(text: string, from: number): number {
  for (let at = text.indexOf('"', from + 1); at !== -1; at = text.indexOf('"', at + 1)) {
    let backslashes = 0;
    while (text[at - 1 - backslashes] === "\\") backslashes++;
    if (backslashes % 2 === 0) return at + 1;
  }
  return text.length;
}

function restored(value: Json): Json {
  if (typeof value === "string") return value.startsWith(MARK) ? integer(value.slice(MARK.length)) : value;
  if (Array.isArray(value)) {
    for (let index = 0; index < value.length; index++) value[index] = restored(value[index] as Json);
  } else if (isObject(value)) {
    for (const key of Object.keys(value)) value[key] = restored(value[key] as Json);
  }
  return value;
}

function integer(digits: string): Json {
  const exact = BigInt(digits);
  return exact >= BigInt(Number.MIN_SAFE_INTEGER) && exact <= BigInt(Number.MAX_SAFE_INTEGER) ? Number(exact) : exact;
}
