/** Lab firewalls that answer as devices do (`spec/firewall-xml-api.md`, then `facts/panos.md`), for trying and testing without one. */
export type { Administrator, Role } from "./lab/panos/access/administrators.js";
export { ALL_CAPABILITIES, type LabCapabilities, SPEC_ONLY } from "./lab/panos/capabilities.js";
export { type Clock, ManualClock, systemClock } from "./lab/panos/clock.js";
export type { LabDevice } from "./lab/panos/device.js";
export type { Effect as FaultEffect, Fault, Match as FaultMatch } from "./lab/panos/faults/fault.js";
export type { CommitEntry, JournalEntry } from "./lab/panos/journal.js";
export type { DeviceOptions, LabOptions } from "./lab/panos/options.js";
export { type RunningDevice, type RunningLab, startLab } from "./lab/panos/start.js";
export type { Violation } from "./lab/panos/state/candidate.js";
export { DEMO_FILES, fileOf, type KnownFile } from "./lab/verdict/known-files.js";
export type { VerdictLabOptions } from "./lab/verdict/options.js";
export { type RunningVerdictLab, startVerdictLab } from "./lab/verdict/start.js";
