/** Returns the indexes of a longest strictly increasing subsequence of `values`, ascending. O(n log n). Deterministic. */
export function longestIncreasing(values: readonly number[]): number[] {
  const tails: number[] = [];
  const before = new Int32Array(values.length).fill(-1);
  for (let i = 0; i < values.length; i += 1) {
    const length = firstNotBelow(tails, values, values[i] ?? 0);
    before[i] = length === 0 ? -1 : (tails[length - 1] ?? -1);
    tails[length] = i;
  }
  const found: number[] = [];
  for (let at = tails.at(-1) ?? -1; at !== -1; at = before[at] ?? -1) found.push(at);
  return found.reverse();
}

/** Returns the first position in `tails` whose value is not below `value`. */
function firstNotBelow(tails: readonly number[], values: readonly number[], value: number): number {
  let low = 0;
  let high = tails.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((values[tails[middle] ?? 0] ?? 0) < value) low = middle + 1;
    else high = middle;
  }
  return low;
}
