import { createHash, randomBytes } from "node:crypto";
import { readFileSync, readlinkSync } from "node:fs";
import { hostname, userInfo } from "node:os";

/** The machine that a pass runs on. Tests inject their own. */
export interface Machine {
  /** Milliseconds since 1970. */
  now(): number;
  /** Milliseconds that never jump, the same for all processes of this host; only differences are used. */
  monotonic(): number;
  /** Short text that no other host or container shares, `[a-z0-9]`. */
  readonly host: string;
  readonly pid: number;
  /** Who runs us, for people to read: `ann@noc-1`. */
  readonly who?: string | undefined;
  /** Reports whether a process of this host runs. True if unknown. */
  isAlive(pid: number): boolean;
  /** Four random bytes or so as hexadecimal text. */
  random(): string;
}

export const thisMachine: Machine = {
  now: () => Date.now(),
  monotonic: () => Number(process.hrtime.bigint() / 1_000_000n),
  host: hostIdentity(),
  pid: process.pid,
  who: `${loginName()}@${hostname()}`,
  isAlive(pid) {
    try {
      process.kill(pid, 0);
      return true;
    } catch (error) {
      return (error as NodeJS.ErrnoException).code !== "ESRCH";
    }
  },
  random: () => randomBytes(4).toString("hex"),
};

function loginName(): string {
  try {
    return userInfo().username;
  } catch {
    return "unknown";
  }
}

/** Containers may share a host name. The kernel's boot id and the process namespace distinguish them. */
function hostIdentity(): string {
  const parts = [hostname()];
  try {
    parts.push(readFileSync("/proc/sys/kernel/random/boot_id", "utf8"), readlinkSync("/proc/self/ns/pid"));
  } catch {
    parts.push(String(process.ppid));
  }
  return createHash("sha256").update(parts.join("\n")).digest("hex").slice(0, 12);
}
