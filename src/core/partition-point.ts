/**
 * Returns the first number from 0 to `length` for which `holds` is false. `holds` must be true for all numbers below it and false for the
 * others.
 */
export function partitionPoint(length: number, holds: (at: number) => boolean): number {
  let [low, high] = [0, length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (holds(middle)) low = middle + 1;
    else high = middle;
  }
  return low;
}
