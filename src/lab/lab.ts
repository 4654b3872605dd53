/** Lab firewalls that answer as devices do (docs/contributing/spec-firewall.md, then docs/contributing/devices/panos.md), for trying and testing without one. */
export { ManualClock } from "./panos/clock.js";
export type { LabDevice } from "./panos/device.js";
export type { DeviceOptions, LabOptions } from "./panos/options.js";
export { type RunningDevice, type RunningLab, startLab } from "./panos/start.js";
export { DEMO_FILES, fileOf } from "./verdict/known-files.js";
export type { VerdictLabOptions } from "./verdict/options.js";
export { type RunningVerdictLab, startVerdictLab } from "./verdict/start.js";
