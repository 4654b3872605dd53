import { randomUUID } from "node:crypto";
import { readJson } from "./read-json.js";
import { isObject, type Json } from "./value.js";

/** Numbers with this many digits may not fit a double. */
const MANY_DIGITS = 16;
/** Maximum number of digits of an integer. Services use at most 20 (64 bits). */
const MOST_DIGITS = 400;
/** Maximum nesting. Replies of services stay below 20. */
const MOST_DEPTH = 512;
/** Maximum number of values in a document. A list of 100,000 servers has a tenth of it. */
const MOST_VALUES = 20_000_000;
/** Random for each process, so that no sender can write a string that is parsed as a number. */
const MARK = `integer-${randomUUID()}-`;

const QUOTE = 0x22;
const COMMA = 0x2c;
const MINUS = 0x2d;
const ZERO = 0x30;
const NINE = 0x39;
const OPEN_LIST = 0x5b;
const CLOSE_LIST = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;

/**
 * Parses JSON in linear time. Integers that do not fit a double become `bigint`. Throws SyntaxError for invalid JSON and for documents that
 * could crash the process: nesting above 512, more than 20,000,000 values, or a number with more than 400 digits.
 */
export function parseJson(text: string): Json {
  const marked = withMarks(text);
  const value = readJson(marked) as Json;
  return marked === text ? value : restored(value);
}

/** Same as `parseJson`, but returns undefined instead of throwing. */
export function tryParseJson(text: string): Json | undefined {
  try {
    return parseJson(text);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/** Returns the text with each long integer as a marked string, because the parser would round it. */
function withMarks(text: string): string {
  const parts: string[] = [];
  let copied = 0;
  let depth = 0;
  let values = 1;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) at = endOfString(text, at) - 1;
    else if (code === COMMA) values++;
    else if (code === OPEN_LIST || code === OPEN_OBJECT) {
      values++;
      if (++depth > MOST_DEPTH) throw new SyntaxError(`values are nested more than ${MOST_DEPTH} levels deep`);
    } else if (code === CLOSE_LIST || code === CLOSE_OBJECT) depth--;
    else if (code === MINUS || isDigit(code)) {
      const end = endOfNumber(text, at);
      if (end - at > MOST_DIGITS) throw new SyntaxError(`a number has more than ${MOST_DIGITS} digits`);
      if (end - at >= MANY_DIGITS && isLongInteger(text.slice(at, end))) {
        parts.push(text.slice(copied, at), `"${MARK}${text.slice(at, end)}"`);
        copied = end;
      }
      at = end - 1;
    }
  }
  if (values > MOST_VALUES) throw new SyntaxError(`there are more than ${MOST_VALUES} values`);
  return parts.length === 0 ? text : parts.join("") + text.slice(copied);
}

function isDigit(code: number): boolean {
  return code >= ZERO && code <= NINE;
}

/** Returns the offset behind the digits, fraction and exponent that begin at `from`. The parser refuses invalid numbers. */
function endOfNumber(text: string, from: number): number {
  let at = from + 1;
  while (at < text.length && (isDigit(text.charCodeAt(at)) || ".eE+-".includes(text[at] as string))) at++;
  return at;
}

/** A number with a leading 0 is invalid and is left for the parser to refuse. */
function isLongInteger(number: string): boolean {
  return /^-?[1-9]\d{15,}$/.test(number);
}

/** Returns the offset behind the string that begins with the quote at `from`. */
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
