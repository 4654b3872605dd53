import { distance } from "fastest-levenshtein";

/** The word of `known` that a person most likely meant by `word`, or undefined when none is near. */
export function nearest(word: string, known: Iterable<string>): string | undefined {
  // Two letters swapped are two edits, in a word of four letters too.
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

/** Words in a row, or the first and the last of many. */
export function listed(words: readonly string[]): string {
  return words.length > 12 ? `${words[0]} to ${words.at(-1)}` : words.join(", ");
}

const MANY = 20;

/** `did you mean "x"?` where a word is near, else the list of what may be written, as far as anybody reads one. */
export function suggest(word: string, known: readonly string[]): string {
  const near = nearest(word, known);
  if (near !== undefined) return `Did you mean "${near}"?`;
  if (known.length === 0) return "There is none yet.";
  const more = known.length > MANY ? ` and ${known.length - MANY} more` : "";
  return `Write one of: ${known.slice(0, MANY).join(", ")}${more}.`;
}
