/**
 * Weight of an operation in a batch, in nodes of payload. Measured: its element, path and reply take the bytes of 4 to 8 nodes; the upper
 * end is used (`bench/results/operation-weight.md`).
 */
const WEIGHT_IN_BATCH = 8;

/**
 * Weight of an operation in its own request. Chosen: its bytes equal 9 to 23 nodes, and the time of a round trip is added
 * (`docs/contributing/plan.md#cost`).
 */
const WEIGHT_OF_REQUEST = 50;

/** Returns the weight of each operation in nodes, without its payload. */
export function operationWeight(atomicBatch: boolean): number {
  return atomicBatch ? WEIGHT_IN_BATCH : WEIGHT_OF_REQUEST;
}
