import { behind, type ManagedFirewall, type ManagedFirewalls, serialsOf, unlike } from "./managed-firewalls.js";
import type { TargetOutcome } from "./outcome.js";

/** Number of differences to the desired state in the candidate and in the running configuration. Undefined if not known. */
export interface Sides {
  readonly candidate: number | undefined;
  readonly running: number | undefined;
}

export const LEVEL_NAMES = ["candidate", "running", "in sync", "handed", "in the way"] as const;
export const LEVEL_STATES = ["equal", "differs", "unknown", "not asked"] as const;

/** One of five independent comparisons of a manager and its firewalls (docs/manager.md#five-levels). */
export interface Level {
  /** From 1, in the order of `LEVEL_NAMES`. */
  readonly level: number;
  readonly name: (typeof LEVEL_NAMES)[number];
  readonly state: (typeof LEVEL_STATES)[number];
  /** Text after the name: `10 of 12`. */
  readonly words: string;
}

type State = Pick<Level, "state" | "words">;

/** Returns the five levels of a manager. Undefined for a target whose firewalls were not queried. */
export function levelsOf({ sides, firewalls, watch }: Pick<TargetOutcome, "sides" | "firewalls" | "watch">): readonly Level[] | undefined {
  if (firewalls === undefined) return undefined;
  // If the checks did not confirm a commit, the read-back is older than its rollback.
  const known = watch === undefined || watch.decision === "confirmed" ? sides : undefined;
  const states = [side(known?.candidate), side(known?.running), inSync(firewalls), handed(firewalls), inTheWay(firewalls)];
  return LEVEL_NAMES.map((name, at) => ({ level: at + 1, name, ...(states[at] ?? UNKNOWN) }));
}

const UNKNOWN: State = { state: "unknown", words: "not known" };
const NOT_CHECKED: State = { state: "not asked", words: "not checked" };

function side(differences: number | undefined): State {
  if (differences === undefined) return UNKNOWN;
  return differences === 0 ? { state: "equal", words: "as declared" } : { state: "differs", words: `differs in ${differences}` };
}

/** By the manager's report. */
function inSync({ rows, failure }: ManagedFirewalls): State {
  if (failure !== undefined) return UNKNOWN;
  const levels = rows.map(({ handed: _, ...row }) => row);
  const late = serialsOf(levels.filter(({ state }) => state === "out of sync"));
  const open = serialsOf(levels.filter(({ state, serial }) => state === "unknown" && !late.has(serial)));
  const all = serialsOf(rows).size;
  const well = all - serialsOf(behind({ watched: false, rows: levels })).size;
  return counted(late.size, open.size, `${well} of ${all}`, "");
}

/** By the firewalls' own reports. */
function handed(firewalls: ManagedFirewalls): State {
  const { rows, failure } = firewalls;
  if (failure !== undefined) return UNKNOWN;
  if (!rows.some((row) => row.handed !== undefined)) return NOT_CHECKED;
  const other = serialsOf(unlike(firewalls));
  const open = serialsOf(rows.filter((row) => !other.has(row.serial) && isOpen(row)));
  const left = serialsOf(rows.filter((row) => !other.has(row.serial) && !open.has(row.serial) && row.handed === undefined));
  const all = serialsOf(rows).size;
  const words = `${all - other.size - open.size - left.size} of ${all}`;
  const text = counted(other.size, open.size, words, other.size === 0 ? "" : `, ${other.size} with something else`);
  if (left.size === 0) return text;
  return { state: text.state === "equal" ? "not asked" : text.state, words: `${text.words}, ${left.size} not checked` };
}

/** A disconnected firewall cannot report its state. */
function isOpen(row: ManagedFirewall): boolean {
  return row.handed === undefined ? !row.connected : row.handed.state === "unknown";
}

function inTheWay({ rows, inTheWay: own, failure }: ManagedFirewalls): State {
  if (failure !== undefined) return UNKNOWN;
  if (own === undefined) return NOT_CHECKED;
  const known = new Set(own.flatMap(({ kind, serial }) => (kind === "unknown" ? [] : [serial])));
  const silent = [...own.filter(({ kind }) => kind === "unknown"), ...rows.filter(({ connected }) => !connected)];
  const open = new Set(silent.flatMap(({ serial }) => (known.has(serial) ? [] : [serial])));
  return counted(known.size, open.size, known.size === 0 ? "nothing" : `something at ${known.size}`, "");
}

function counted(differs: number, open: number, words: string, more: string): State {
  const state = differs > 0 ? "differs" : open > 0 ? "unknown" : "equal";
  return { state, words: `${words}${more}${open === 0 ? "" : `, ${open} not known`}` };
}
