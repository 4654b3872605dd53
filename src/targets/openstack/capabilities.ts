import type { Capabilities } from "../../plan/platform.js";

/** Capabilities of a cloud: single requests that take effect immediately, without a candidate or locks. */
export const openstackCapabilities: Capabilities = {
  candidate: false,
  atomicBatch: false,
  move: false,
  rename: true,
  renameKeepsReferences: "yes",
  locks: false,
  changeList: false,
  partialCommit: false,
  partialRevert: false,
  validate: false,
  independentObjects: true,
  completeObjectWrites: true,
  // Fifty objects take less than the timeout of one request, even at 0.2 seconds each. Ports are excluded: if several are refused together,
  // the service keeps the addresses that it had allocated (docs/contributing/devices/openstack.md#network).
  madeTogether: { lists: ["networks", "subnets", "security_groups"], most: 50 },
  maxRequestBytes: 1_000_000,
  maxBatchOperations: 1,
  maxPendingChanges: undefined,
};
