/** How many of the numbers from 0 to `length`-1 something holds for, where it holds for all below some number and for none from there on. */
export function partitionPoint(length: number, holds: (at: number) => boolean): number {
  let [low, high] = [0, length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (holds(middle)) low = middle + 1;
    else high = middle;
  }
  return low;
}
