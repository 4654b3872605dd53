import type { PolicyOptions } from "../../../reachability/policy-role.js";

/**
 * Settings for behaviour that a controller's objects do not define (docs/contributing/flow-analysis.md#what-is-not-known-of-controllers).
 */
export interface ControllerReading {
  /** Order of policies with the same sequence: by name, or in the order of the network's list. */
  readonly equalSequence: "by name" | "as listed";
  /** Whether the controller runs with logical routers. If not, a network with policies denies traffic that no rule names. */
  readonly logicalRouters: "enabled" | "disabled";
}

export const ASSUMED: ControllerReading = { equalSequence: "by name", logicalRouters: "enabled" };

export interface ReadingOptions extends PolicyOptions, Partial<ControllerReading> {}
