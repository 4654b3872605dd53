import type { Machine } from "../pass/machine.js";

/**
 * Identifies the run that took a lock: `plumbline/1 <owner> <run> <digest>` (docs/contributing/apply.md#locks-of-others). An agent that shares its targets
 * adds ` lease:<fence>`.
 */
export interface LockMark {
  readonly owner: string;
  readonly run: Run;
  readonly digest: string;
  readonly fence: number | undefined;
}

/** Identifies one run, so that another run can check whether it is still alive. */
export interface Run {
  /** Milliseconds since 1970, rounded down to seconds. */
  readonly started: number;
  readonly host: string;
  readonly pid: number;
  readonly random: string;
}

const PREFIX = "plumbline/1";

export function newRun(machine: Machine): Run {
  return { started: Math.floor(machine.now() / 1000) * 1000, host: machine.host, pid: machine.pid, random: machine.random() };
}

/** Returns `20261121T040350Z-<host>-<pid>-<random>`. */
export function formatRun(run: Run): string {
  const time = new Date(run.started).toISOString().replace(/[-:]|\.\d+/g, "");
  return [time, run.host, run.pid, run.random].join("-");
}

export function formatMark(owner: string, run: Run, digest: string, fence?: number): string {
  const lease = fence === undefined ? "" : ` lease:${fence}`;
  return `${PREFIX} ${encodeURIComponent(owner)} ${formatRun(run)} ${digest}${lease}`;
}

/** Parses the comment of a lock. Returns undefined if a person or another program wrote it. */
export function parseMark(comment: string): LockMark | undefined {
  const [prefix, owner, run, digest, lease, ...rest] = comment.trim().split(" ");
  if (prefix !== PREFIX || owner === undefined || run === undefined || digest === undefined || rest.length > 0) return undefined;
  const parsed = parseRun(run);
  const name = decoded(owner);
  const fence = lease === undefined ? undefined : /^lease:(\d{1,15})$/.exec(lease)?.[1];
  if (parsed === undefined || name === undefined || (lease !== undefined && fence === undefined)) return undefined;
  return { owner: name, run: parsed, digest, fence: fence === undefined ? undefined : Number(fence) };
}

function decoded(owner: string): string | undefined {
  try {
    return decodeURIComponent(owner);
  } catch {
    return undefined;
  }
}

/** Parses the output of `formatRun`. Returns undefined for any other text. */
export function parseRun(text: string): Run | undefined {
  const match = /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z-([a-z0-9]+)-(\d+)-([a-z0-9]+)$/.exec(text);
  if (match === null) return undefined;
  const [, year, month, day, hour, minute, second, host = "", pid, random = ""] = match;
  const started = Date.UTC(Number(year), Number(month) - 1, Number(day), Number(hour), Number(minute), Number(second));
  return { started, host, pid: Number(pid), random };
}

/** Returns true if the run was on this host and its process is gone. Processes of other hosts cannot be checked. */
export function isDead(run: Run, machine: Machine): boolean {
  return run.host === machine.host && !machine.isAlive(run.pid);
}
