/** What turns the direction of writing around, ends a line or is not seen; and the `[` of `##[`, an order to some CI runners. */
const HARMFUL = /[\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]|(?<=##(?:vso)?)\[/g;

/**
 * JSON to be shown: the same value as `JSON.stringify` writes, with what could reverse a line of the log that it lands in, or
 * be taken by a CI runner for an order, written as `\uXXXX`.
 */
export function printJson(value: unknown, indent?: number): string {
  return JSON.stringify(value, undefined, indent).replaceAll(HARMFUL, (found) => `\\u${found.charCodeAt(0).toString(16).padStart(4, "0")}`);
}
