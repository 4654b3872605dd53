/**
 * Characters that are invisible or change the direction of text. With them, an object name could make a drift look different. The joiners
 * of letters and emoji (U+200C, U+200D) are permitted.
 */
const HIDDEN = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u00ad\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g;

/**
 * Replaces each of these characters with text such as `⟨U+202E⟩`.
 * @internal Exported for its test.
 */
export function visible(text: string): string {
  return text.replace(HIDDEN, (hidden) => `⟨U+${hidden.charCodeAt(0).toString(16).toUpperCase().padStart(4, "0")}⟩`);
}

/** Parses JSON of the agent and makes hidden characters visible. */
export function readShown<T>(json: string): T {
  const mayHide = json.includes("\\u") || json.search(HIDDEN) >= 0;
  return JSON.parse(json, mayHide ? (_, value: unknown) => (typeof value === "string" ? visible(value) : value) : undefined) as T;
}
