import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { writeAtomically } from "../core/atomic-file.js";
import { toFileName } from "../core/file-names.js";
import type { TargetConfiguration } from "../desired/configuration/configuration.js";
import type { ManagedFirewall } from "../outcome/managed-firewalls.js";
import type { Live } from "./live.js";
import type { Managed } from "./target.js";

/** Time since when firewalls are disconnected, in milliseconds since 1970 by serial number. The manager does not report it. */
export type Absent = ReadonlyMap<string, number>;

/** Stores these times between runs. */
export interface Absences {
  /** Empty if no times are stored. */
  of(target: string): Promise<Absent>;
  /** Rejects if the times cannot be stored. */
  keep(target: string, absent: Absent): Promise<void>;
}

/** Configuration and options of a caller that reads a manager. */
export interface ManagerReader {
  readonly configuration: TargetConfiguration;
  readonly options: {
    readonly stores: {
      readonly stateFolder: string;
      /** Default: files in the state folder. */
      readonly absences?: Absences | undefined;
    };
    readonly machine: { now(): number };
  };
}

/** The part of `Live` that selects the reached firewalls. */
export type Reached = Pick<Live, "reach" | "subtrees" | "candidate">;

/** Returns the firewalls that `live` reaches, or all, as the manager reports them. Adds the time since when a firewall is disconnected. */
export async function readManagedFirewalls(
  managed: Managed,
  looker: ManagerReader,
  live: Reached | undefined,
): Promise<readonly ManagedFirewall[] | undefined> {
  const rows = await managed.firewalls(live === undefined ? undefined : { paths: live.reach ?? live.subtrees, tree: live.candidate });
  const { offline, name } = looker.configuration;
  if (rows === undefined || offline === undefined) return rows;
  const { stores, machine } = looker.options;
  const { stateFolder, absences = absencesIn(stateFolder) } = stores;
  const now = machine.now();
  const before = await absences.of(name);
  const absent = new Map(before);
  for (const { serial, connected } of rows) {
    if (connected) absent.delete(serial);
    else absent.set(serial, Math.min(now, before.get(serial) ?? now));
  }
  const isRemembered = isSame(before, absent) || (await absences.keep(name, absent).then(yes, no));
  return rows.map((row) => {
    if (row.connected) return row;
    const since = absent.get(row.serial) ?? now;
    // The time could not be stored, so the next run would report the same time again.
    if (!isRemembered && !before.has(row.serial)) return { ...row, away: { since: undefined, tooLong: false } };
    return { ...row, away: { since: new Date(since).toISOString(), tooLong: now - since >= offline } };
  });
}

const yes = () => true;
const no = () => false;

function isSame(a: Absent, b: Absent): boolean {
  return a.size === b.size && [...a].every(([serial, since]) => b.get(serial) === since);
}

/** One file for each target, shared by the runs of one machine. */
function absencesIn(stateFolder: string): Absences {
  const file = (target: string) => join(stateFolder, "absences", `${toFileName(target)}.json`);
  return {
    // Missing or truncated: the firewalls count as disconnected from now on, which only delays the alarm.
    of: async (target) => absentIn(await readFile(file(target), "utf8").catch(() => "")),
    keep: (target, absent) => writeAtomically(file(target), `${absentText(absent)}\n`),
  };
}

export function absentText(absent: Absent): string {
  return JSON.stringify(Object.fromEntries(absent));
}

/** Parses the text of `absentText`. Empty for any other text. */
export function absentIn(text: string): Absent {
  try {
    const known: unknown = JSON.parse(text);
    const rows = typeof known === "object" && known !== null ? Object.entries(known) : [];
    return new Map(rows.flatMap(([serial, since]: [string, unknown]) => (typeof since === "number" ? [[serial, since] as const] : [])));
  } catch {
    return new Map();
  }
}
