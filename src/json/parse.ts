import { randomUUID } from "node:crypto";
import type { Json } from "./value.js";

/** A string or a number, whole. */
const STRING_OR_NUMBER = /"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;
/** An integer that a double may not hold. */
const LARGE = /^-?\d{16,}$/;
/** Of this process alone: no sender can write a string that is taken for a number. */
const MARK = `integer-${randomUUID()}-`;

/** Parses JSON; integers that a double cannot hold become `bigint`. Throws SyntaxError. */
export function parseJson(text: string): Json {
  if (!/\d{16}/.test(text)) return JSON.parse(text) as Json;
  const marked = text.replace(STRING_OR_NUMBER, (token) => (LARGE.test(token) ? `"${MARK}${token}"` : token));
  return JSON.parse(marked, (_, value: unknown) => {
    if (typeof value !== "string" || !value.startsWith(MARK)) return value;
    const exact = BigInt(value.slice(MARK.length));
    return exact >= BigInt(Number.MIN_SAFE_INTEGER) && exact <= BigInt(Number.MAX_SAFE_INTEGER) ? Number(exact) : exact;
  }) as Json;
}
