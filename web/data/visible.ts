/**
 * Characters that are not seen, or turn around the text after them: whoever names an object could make a drift read as
 * something else. What joins letters and emoji (U+200C, U+200D) is left alone.
 */
const HIDDEN = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u00ad\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g;

/**
 * With each of them as `⟨U+202E⟩`.
 *
 * @internal Exported for its test.
 */
export function visible(text: string): string {
  return text.replace(HIDDEN, (hidden) => `⟨U+${hidden.charCodeAt(0).toString(16).toUpperCase().padStart(4, "0")}⟩`);
}

/** What the agent sent, fit to be shown. */
export function readShown<T>(json: string): T {
  const mayHide = json.includes("\\u") || json.search(HIDDEN) >= 0;
  return JSON.parse(json, mayHide ? (_, value: unknown) => (typeof value === "string" ? visible(value) : value) : undefined) as T;
}
