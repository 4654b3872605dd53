/** After so many answers all are forgotten: addresses drawn at random seldom come again. */
const MOST = 100_000;

/** A function whose answer hangs on its words alone, and which is asked the same many times: it is worked out once. */
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
