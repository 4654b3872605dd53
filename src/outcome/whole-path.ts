import type { ReachAnswer, Way } from "./reach.js";

/** A flow as a part of the network gets it. */
export interface FlowAsSent {
  /** Undefined: translated to an address that is not known. */
  readonly source: string | undefined;
  readonly destination: string;
  /** One port of one protocol: `tcp/443`. */
  readonly service: string;
}

/** One part of the network on the way: a virtual system of a firewall, a project of a cloud. */
export interface Hop {
  readonly target: string;
  readonly scope: string;
  /** As it gets the flow. */
  readonly flow: FlowAsSent;
  readonly way: Way;
  /** Each must let it pass. Answers of one check come in the order of rules; several, where something that is not known decides. */
  readonly checks: readonly (readonly ReachAnswer[])[];
  /** Why what its rules say is not sure. */
  readonly doubts: readonly string[];
}

/** One course of a flow from its sender on, through all targets that it meets. */
export interface WholePath {
  /**
   * `arrives`: all let it pass; `may arrive`: where something that is not known is as it must be; `stopped`: one does not let it
   * pass, whatever is not known; `unknown`: nobody stops it as far as it can be followed.
   */
  readonly verdict: "arrives" | "may arrive" | "stopped" | "unknown";
  readonly hops: readonly Hop[];
  /** All of these must hold for it to go this way; empty: it is certain. */
  readonly conditions: readonly string[];
  /** Who has it in the end, or how far it can be followed: a sentence. */
  readonly ends: string;
}

/** Whichever of the answers of a check counts, it says no. */
export function isStopped(check: readonly ReachAnswer[]): boolean {
  return check.length > 0 && check.every(({ verdict }) => verdict !== "allow");
}

/** Whichever of the answers of a check counts, it says yes. */
export function isPassed(check: readonly ReachAnswer[]): boolean {
  return check.length > 0 && check.every(({ verdict }) => verdict === "allow");
}
