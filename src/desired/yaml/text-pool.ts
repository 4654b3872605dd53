const SLOTS = 8192;
/** Longer texts are hardly ever met twice. */
const MAX_POOLED = 24;

const slots: string[] = new Array<string>(SLOTS).fill("");

/**
 * `source` from `from` to `to`; equal short texts are mostly one string, since a policy says `any` a hundred thousand
 * times. A slot holds the last text that fell into it: a miss costs a new string, never a wrong one.
 */
export function cut(source: string, from: number, to: number): string {
  if (to - from > MAX_POOLED) return source.slice(from, to);
  let hash = 0;
  for (let at = from; at < to; at++) hash = (Math.imul(hash, 31) + source.charCodeAt(at)) | 0;
  const slot = (hash ^ (hash >>> 13)) & (SLOTS - 1);
  const known = slots[slot] as string;
  if (known.length === to - from && source.startsWith(known, from)) return known;
  const fresh = source.slice(from, to);
  slots[slot] = fresh;
  return fresh;
}
