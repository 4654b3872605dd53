import type { KeptWords, TrafficGap } from "../../outcome/traffic.js";
import type { LoggedSession } from "../policy-role.js";

/** How far the log of one box was read. Moments are of its own clock. */
export interface LogMark {
  /** From when on its sessions are kept. */
  readonly since: string;
  /** When the last record that was read was written, and its number; -1 before the first. */
  readonly until: string;
  readonly number: string;
  /** The log was read up to this time. */
  readonly read: string;
  /** The device's clock and the local clock at the read, in milliseconds since 1970. */
  readonly clock: string;
  readonly at: number;
  /** The last commit that was known then. */
  readonly lastCommit: string | undefined;
  readonly gaps: readonly TrafficGap[];
}

/** Sessions of one hour. */
export interface KeptHour {
  /** Those alike as one, the newest first. */
  readonly flows: readonly LoggedSession[];
  /** Records that were not understood. */
  readonly unread: number;
  /** Rare flows that were dropped, and their number of sessions. */
  readonly cut: { readonly flows: number; readonly sessions: number };
}

/** Stored sessions of one target. */
export interface KeptTraffic extends Omit<KeptWords, "cut" | "boxes"> {
  readonly boxes: readonly (KeptWords["boxes"][number] & Pick<LogMark, "since" | "lastCommit">)[];
  /** Milliseconds. */
  readonly keep: number;
  /** Hours that begin at one or after it, the newest first. */
  hours(since: string): AsyncIterable<KeptHour & { readonly hour: string }>;
}

/** Undefined if no sessions of the target are stored. */
export type KeptTrafficOf = (target: string) => Promise<KeptTraffic | undefined>;

/** `yyyy/mm/dd hh:00:00`. */
export function hourOf(time: string): string {
  return `${time.slice(0, 13)}:00:00`;
}
