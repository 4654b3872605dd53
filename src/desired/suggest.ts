import { distance } from "fastest-levenshtein";

/** Returns the most similar word of `known`, or undefined if no word is similar enough. */
export function nearest(word: string, known: Iterable<string>): string | undefined {
  // Two swapped letters are two edits, even in a word of four letters.
  const limit = word.length < 4 ? 1 : Math.max(2, Math.floor(word.length / 3));
  let best: string | undefined;
  let least = limit + 1;
  for (const candidate of known) {
    if (Math.abs(candidate.length - word.length) >= least) continue;
    const apart = distance(word.toLowerCase(), candidate.toLowerCase());
    if (apart < least) {
      least = apart;
      best = candidate;
    }
  }
  return best;
}

/** Joins words with commas; returns only the first and the last of many. */
export function listed(words: readonly string[]): string {
  return words.length > 12 ? `${words[0]} to ${words.at(-1)}` : words.join(", ");
}

const MANY = 20;

/** Returns `Did you mean "x"?` if a known word is similar, or else a list of valid words, limited to a readable length. */
export function suggest(word: string, known: readonly string[]): string {
  const near = nearest(word, known);
  if (near !== undefined) return `Did you mean "${near}"?`;
  if (known.length === 0) return "None is defined.";
  const more = known.length > MANY ? ` and ${known.length - MANY} more` : "";
  return `Write one of: ${known.slice(0, MANY).join(", ")}${more}.`;
}
