/** Lab firewalls that answer as devices do (docs/spec-firewall.md, then docs/devices/panos.md), for trying and testing without one. */
export type { Administrator, Role } from "./panos/access/administrators.js";
export { ALL_CAPABILITIES, type LabCapabilities, SPEC_ONLY } from "./panos/capabilities.js";
export { type Clock, ManualClock, systemClock } from "./panos/clock.js";
export type { LabDevice } from "./panos/device.js";
export type { Effect as FaultEffect, Fault, Match as FaultMatch } from "./panos/faults/fault.js";
export type { CommitEntry, JournalEntry } from "./panos/journal.js";
export type { DeviceOptions, LabOptions } from "./panos/options.js";
export { type RunningDevice, type RunningLab, startLab } from "./panos/start.js";
export type { Violation } from "./panos/state/candidate.js";
export { DEMO_FILES, fileOf, type KnownFile } from "./verdict/known-files.js";
export type { VerdictLabOptions } from "./verdict/options.js";
export { type RunningVerdictLab, startVerdictLab } from "./verdict/start.js";
