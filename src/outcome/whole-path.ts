import type { ReachAnswer, Way } from "./reach.js";

/** A flow as it enters a part of the network. */
export interface FlowAsSent {
  /** Undefined: translated to an unknown address. */
  readonly source: string | undefined;
  readonly destination: string;
  /** One port of one protocol: `tcp/443`. */
  readonly service: string;
}

/** One part of the network on the way: a virtual system of a firewall, or a project of a cloud. */
export interface Hop {
  readonly target: string;
  readonly scope: string;
  /** The flow as it enters this part. */
  readonly flow: FlowAsSent;
  readonly way: Way;
  /** Every check must allow the flow. The answers of one check are in the order of rules. There are several if unknown values decide. */
  readonly checks: readonly (readonly ReachAnswer[])[];
  /** Reasons why the answers may be wrong. */
  readonly doubts: readonly string[];
}

/** One way of a flow from its sender through all targets on the path. */
export interface WholePath {
  /**
   * `arrives`: all targets allow it. `may arrive`: it depends on unknown values. `stopped`: one target blocks it in any case. `unknown`: no
   * target blocks it as far as it can be followed.
   */
  readonly verdict: "arrives" | "may arrive" | "stopped" | "unknown";
  readonly hops: readonly Hop[];
  /** All of these must hold for this way. Empty: certain. */
  readonly conditions: readonly string[];
  /** Conditions that do not change the order of the targets: that a target answers for an address, or that an unreadable check allows the flow. */
  readonly assumptions: readonly string[];
  /** Whether the way is followed up to the destination, also if a target on it blocks the flow. */
  readonly isComplete: boolean;
  /** A sentence with the final receiver, or with the place up to which the flow can be followed. */
  readonly ends: string;
}

/** Returns true if every possible answer of the check blocks the flow. */
export function isStopped(check: readonly ReachAnswer[]): boolean {
  return check.length > 0 && check.every(({ verdict }) => verdict !== "allow");
}

/** Returns true if every possible answer of the check allows the flow. */
export function isPassed(check: readonly ReachAnswer[]): boolean {
  return check.length > 0 && check.every(({ verdict }) => verdict === "allow");
}
