import { randomUUID } from "node:crypto";
import type { Json } from "./value.js";

/** A string, or an integer of sixteen digits and more that no fraction or exponent follows. */
const STRING_OR_LARGE = /"(?:[^"\\]|\\.)*"|-?\d{16,}(?![\d.eE])/g;
/** Of this process alone: no sender can write a string that is taken for a number. */
const MARK = `integer-${randomUUID()}-`;

/** Parses JSON; integers that a double cannot hold become `bigint`. Throws SyntaxError. */
export function parseJson(text: string): Json {
  if (!/\d{16}/.test(text)) return JSON.parse(text) as Json;
  const marked = text.replace(STRING_OR_LARGE, (token) => (token.startsWith('"') ? token : `"${MARK}${token}"`));
  return JSON.parse(marked, (_, value: unknown) => {
    if (typeof value !== "string" || !value.startsWith(MARK)) return value;
    const exact = BigInt(value.slice(MARK.length));
    return exact >= BigInt(Number.MIN_SAFE_INTEGER) && exact <= BigInt(Number.MAX_SAFE_INTEGER) ? Number(exact) : exact;
  }) as Json;
}
