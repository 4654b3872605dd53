/**
 * Characters that change the direction of text, end a line or are invisible, and the `[` of `##[`, which some CI runners read as a command.
 */
const HARMFUL = /[\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]|(?<=##(?:vso)?)\[/g;

/**
 * Returns JSON for display. Like the output of `JSON.stringify`, but characters that could reverse a log line or form a command for a CI
 * runner are written as `\uXXXX`.
 */
export function printJson(value: unknown, indent?: number): string {
  return JSON.stringify(value, undefined, indent).replaceAll(HARMFUL, (found) => `\\u${found.charCodeAt(0).toString(16).padStart(4, "0")}`);
}
