/**
 * What one operation of a batch weighs by itself, in nodes of payload. Measured: its frame, path and reply take the bytes
 * of 4 to 8 nodes, and the upper end is taken (`bench/results/operation-weight.md`).
 */
const WEIGHT_IN_BATCH = 8;

/**
 * What an operation weighs that is a request of its own. Chosen: its bytes are those of 9 to 23 nodes, and the time of a
 * round trip comes on top (`docs/plan.md#cost`).
 */
const WEIGHT_OF_REQUEST = 50;

/** What each operation weighs, in nodes, beside the nodes that it carries. */
export function operationWeight(atomicBatch: boolean): number {
  return atomicBatch ? WEIGHT_IN_BATCH : WEIGHT_OF_REQUEST;
}
