import type { PolicyOptions } from "../../../engine/policies.js";

/**
 * What objects of a controller leave open (docs/contributing/flow-analysis.md#what-is-not-known-of-controllers), each with what is assumed where nobody
 * says otherwise.
 */
export interface ControllerReading {
  /** Of policies of one sequence the first by name goes first, or the one that the network lists first. */
  readonly equalSequence: "by name" | "as listed";
  /** Whether the controller runs with logical routers: else what no rule names is stopped at a network with policies. */
  readonly logicalRouters: "enabled" | "disabled";
}

export const ASSUMED: ControllerReading = { equalSequence: "by name", logicalRouters: "enabled" };

/** What a translation is told beside the trees. */
export interface ReadingOptions extends PolicyOptions, Partial<ControllerReading> {}
