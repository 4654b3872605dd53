import type { Scheduler } from "./scheduler.js";

/**
 * The simulation of this process. The models of files, git, clocks and randomness find it here, because the product imports those modules
 * directly.
 */
export interface Running {
  readonly scheduler: Pick<Scheduler, "now" | "process" | "wait">;
  /** Bytes that the system would have drawn, as hexadecimal text. */
  random(bytes: number): string;
  /** Whether git remotes can be reached now. */
  isRemoteReachable(): boolean;
  /** Milliseconds until a request to a git remote is there, or its reply is back. */
  delayToRemote(): number;
}

let current: Running | undefined;

export function setRunning(running: Running | undefined): void {
  current = running;
}

export function running(): Running {
  if (current === undefined) throw new Error("no simulation runs");
  return current;
}

/** A killed process waits for this. */
export async function expectAlive(): Promise<void> {
  if (current?.scheduler.process?.isAlive === false) await new Promise<never>(() => undefined);
}
