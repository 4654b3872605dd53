import type { Capabilities } from "../../plan/platform.js";

/** What a cloud can do: single requests that are in force at once, with neither candidate nor locks. */
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
  wholeObjectWrites: true,
  // Fifty are answered well within the time of one request also where each takes a fifth of a second.
  // Not ports: of several that are refused together the service keeps the addresses that it had given them (docs/devices/openstack.md#network).
  madeTogether: { lists: ["networks", "subnets", "security_groups"], most: 50 },
  maxRequestBytes: 1_000_000,
  maxBatchOperations: 1,
  maxPendingChanges: undefined,
};
