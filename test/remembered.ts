/** After so many answers all are forgotten: addresses drawn at random seldom come again. */
const MOST = 100_000;

/** Caches a function that depends only on its arguments and is called often with the same ones. */
export function remembered<Words extends readonly (string | number)[], Answer>(
  answer: (...words: Words) => Answer,
): (...words: Words) => Answer {
  const known = new Map<string, Answer>();
  return (...words) => {
    const key = words.join("\n");
    const before = known.get(key);
    if (before !== undefined) return before;
    const now = answer(...words);
    if (known.size >= MOST) known.clear();
    known.set(key, now);
    return now;
  };
}
