import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { writeAtomically } from "../core/atomic-file.js";
import { toFileName } from "../core/file-names.js";
import type { TargetConfiguration } from "../desired/configuration.js";
import type { ManagedFirewall } from "../outcome/managed-firewalls.js";
import type { Live } from "./live.js";
import type { Managed } from "./target.js";

/** Since when firewalls of a target are away, in milliseconds since 1970 by serial number: their manager does not tell. */
export type Absent = ReadonlyMap<string, number>;

/** What those who looked before remember of it. */
export interface Absences {
  /** Empty where nothing is remembered. */
  of(target: string): Promise<Absent>;
  /** Rejects where it cannot be remembered. */
  keep(target: string, absent: Absent): Promise<void>;
}

/** Who looks at a manager. */
export interface Looker {
  readonly configuration: TargetConfiguration;
  readonly options: {
    readonly stateFolder: string;
    readonly machine: { now(): number };
    /** In the state folder when left out. */
    readonly absences?: Absences | undefined;
  };
}

/** What of a target firewalls are reached by: as `Live` has it. */
export type Reached = Pick<Live, "reach" | "subtrees" | "candidate">;

/** What a manager says of the firewalls that `live` reaches, or of all, with the time that those who are away were first seen so. */
export async function askManaged(
  managed: Managed,
  looker: Looker,
  live: Reached | undefined,
): Promise<readonly ManagedFirewall[] | undefined> {
  const rows = await managed.firewalls(live === undefined ? undefined : { paths: live.reach ?? live.subtrees, tree: live.candidate });
  const { offline, name } = looker.configuration;
  if (rows === undefined || offline === undefined) return rows;
  const { stateFolder, machine, absences = absencesIn(stateFolder) } = looker.options;
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
    // First seen by a look that nobody will remember: the next one will say the same.
    if (!isRemembered && !before.has(row.serial)) return { ...row, away: { since: undefined, tooLong: false } };
    return { ...row, away: { since: new Date(since).toISOString(), tooLong: now - since >= offline } };
  });
}

const yes = () => true;
const no = () => false;

function isSame(a: Absent, b: Absent): boolean {
  return a.size === b.size && [...a].every(([serial, since]) => b.get(serial) === since);
}

/** A file for each target: looks of one machine remember for each other. */
function absencesIn(stateFolder: string): Absences {
  const file = (target: string) => join(stateFolder, "absences", `${toFileName(target)}.json`);
  return {
    // Not there, or not whole: then they are seen away for the first time, which only makes the alarm later.
    of: async (target) => absentIn(await readFile(file(target), "utf8").catch(() => "")),
    keep: (target, absent) => writeAtomically(file(target), `${absentText(absent)}\n`),
  };
}

export function absentText(absent: Absent): string {
  return JSON.stringify(Object.fromEntries(absent));
}

/** Nothing for what is no such text. */
export function absentIn(text: string): Absent {
  try {
    const known: unknown = JSON.parse(text);
    const rows = typeof known === "object" && known !== null ? Object.entries(known) : [];
    return new Map(rows.flatMap(([serial, since]: [string, unknown]) => (typeof since === "number" ? [[serial, since] as const] : [])));
  } catch {
    return new Map();
  }
}
