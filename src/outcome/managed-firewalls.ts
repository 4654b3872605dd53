/** The manager's report about one firewall that its target reaches, or about one virtual system of it. */
export interface ManagedFirewall {
  readonly serial: string;
  readonly hostname?: string | undefined;
  /** Only for a firewall with several virtual systems. */
  readonly vsys?: string | undefined;
  /** The part of the manager that pushes to the firewall, as documents name it: `device-group/branch`. */
  readonly by: string;
  /** `unknown`: the manager's report is missing, not understood, or inconsistent. */
  readonly state: "in sync" | "out of sync" | "unknown";
  /** If false, `state` is the last known state. */
  readonly connected: boolean;
  /** For a disconnected firewall, if `offline:` is declared: the time when this was first seen (ISO 8601), if a state store exists. */
  readonly away?: { readonly since: string | undefined; readonly tooLong: boolean } | undefined;
  /** High-availability state of the firewall and serial number of its peer. Only read before a push. */
  readonly ha?: { readonly state: string; readonly peer: string } | undefined;
  /** Version of the manager's configuration that the firewall has. */
  readonly version?: string | undefined;
  /** The version number that the firewall reports, if it belongs to the other manager of a pair or may do so. */
  readonly bears?: string | undefined;
  /** Result of the last push in the manager's words. Independent of `state`. */
  readonly lastPush?: { readonly result: string; readonly at: string | undefined } | undefined;
  /**
   * Owners of the missing changes, if the firewall lacks only changes that our pushes exclude. Empty: the firewall has everything, whatever
   * the manager reports.
   */
  readonly lacksOnlyOf?: readonly string[] | undefined;
  /** The firewall's own report about the configuration that it has. Undefined if not queried. */
  readonly handed?: FirewallComparison | undefined;
}

/** Configuration of a firewall, compared with the configuration that the manager's running configuration produces. */
export interface FirewallComparison {
  readonly state: "equal" | "differs" | "unknown";
  /** The first differences. */
  readonly differences: readonly HandedDifference[];
  /** Number of further differences. */
  readonly more: number;
  /** Why the state is unknown. */
  readonly why?: string | undefined;
}

interface HandedDifference {
  /** `out of place`: a rule or another ordered entry is at the wrong position. */
  readonly what: "missing" | "extra" | "differs" | "out of place";
  /** XPath on the manager, or the one that the node would have there. */
  readonly xpath: string;
  /** Short texts and lists without secrets. */
  readonly wanted?: string | undefined;
  readonly found?: string | undefined;
}

/** A local setting of a firewall that conflicts with the configuration from its manager. */
export interface InTheWay {
  readonly serial: string;
  readonly hostname?: string | undefined;
  /**
   * `name`: a local object has the name of a pushed one, so the firewall refuses the push. `lock`: a lock makes it refuse. `override`: the
   * local value overrides the pushed one. `uncommitted`: local changes that a push does not commit. `unknown`: the firewall could not be
   * queried.
   */
  readonly kind: "name" | "lock" | "override" | "uncommitted" | "unknown";
  /** XPath on the firewall. */
  readonly xpath: string;
  readonly words: string;
}

/**
 * Result of a push on one firewall. `missing`: the job ended without a result for it. `unknown`: no result in time. `not pushed`: the push
 * ended before its turn.
 */
export interface PushedFirewall {
  readonly serial: string;
  /** From 1. */
  readonly wave: number;
  /** Empty if there is no job or its number was lost. */
  readonly job: string;
  readonly result: "ok" | "failed" | "not connected" | "missing" | "unknown" | "not pushed";
  /** Time of the result (our clock, ISO 8601). */
  readonly since?: string | undefined;
  /** True if the firewall had the commit that was rolled back: the result is that of the push of the former state. */
  readonly isBack?: boolean | undefined;
  readonly lines: readonly string[];
}

/** A push by any account that has not ended, as the manager reports it. */
export interface RunningPush {
  readonly job: string;
  /** The account that pushes. */
  readonly by: string;
  /** For our pushes: the run and the wave. */
  readonly description: string;
  /** Job start time (manager clock). */
  readonly since: string | undefined;
  /** True if the push only validates and changes nothing. */
  readonly asksOnly: boolean;
  /** Empty until the manager has sent the push. */
  readonly firewalls: readonly {
    readonly serial: string;
    readonly hostname: string | undefined;
    readonly result: "ok" | "failed" | "not connected" | "not ended";
  }[];
}

/** A configuration that is or was running on a manager. */
export interface RunningVersion {
  readonly version: number;
  readonly admin: string;
  readonly time: string;
  readonly description: string;
}

/** The firewalls that a target reaches. */
export interface ManagedFirewalls {
  /** `firewalls: watch` or `verify`: the target is only in sync if its firewalls are. */
  readonly watched: boolean;
  readonly rows: readonly ManagedFirewall[];
  /** Local settings of firewalls that are in the way. Undefined if not queried. */
  readonly inTheWay?: readonly InTheWay[] | undefined;
  /** Pushes under way. Undefined if not queried. */
  readonly pushes?: readonly RunningPush[] | undefined;
  /** Why pushes under way are unknown. */
  readonly pushFailure?: string | undefined;
  /** Why the state of the firewalls is unknown. */
  readonly failure?: string | undefined;
}

/** Returns rows that are not known to be in sync, by the report of the manager or of the firewall. */
export function behind({ rows }: ManagedFirewalls): readonly ManagedFirewall[] {
  return rows.filter(({ state, handed }) => state !== "in sync" || (handed !== undefined && handed.state !== "equal"));
}

/** Returns rows of firewalls that report a wrong configuration themselves. */
export function unlike({ rows }: ManagedFirewalls): readonly ManagedFirewall[] {
  return rows.filter(({ handed }) => handed?.state === "differs");
}

/** Returns a short text with the differences of a firewall. */
export function formatFirewallDifferences({ differences, more }: FirewallComparison): string {
  const words = differences.slice(0, MAX_NAMED).map(({ what, xpath, wanted, found }) => {
    if (what !== "differs") return `${WHAT[what]} ${xpath}`;
    return wanted === undefined && found === undefined
      ? `has another ${xpath}`
      : `has ${found ?? "nothing"} in the place of ${wanted ?? "nothing"} at ${xpath}`;
  });
  const left = differences.length - words.length + more;
  return `${words.join("; ")}${left === 0 ? "" : `; and ${left} more`}`;
}

/** Maximum number of differences in one text. */
const MAX_NAMED = 2;
const WHAT = { missing: "lacks", extra: "still has", "out of place": "has in another place" };

/** Returns rows that have been disconnected for longer than `offline:` allows. */
export function overdue({ rows }: ManagedFirewalls): readonly ManagedFirewall[] {
  return rows.filter(({ away }) => away?.tooLong === true);
}

/**
 * Returns true if the firewalls are watched and any of them is not known to be in sync, disconnected for too long, or obstructed by local
 * settings.
 */
export function isBehind(firewalls: ManagedFirewalls | undefined): boolean {
  if (firewalls?.watched !== true) return false;
  const { failure } = firewalls;
  return failure !== undefined || behind(firewalls).length > 0 || overdue(firewalls).length > 0 || obstructed(firewalls).size > 0;
}

/** Returns `1 of 3 firewalls not in sync, 1 away for too long`. Each firewall counts once. */
export function formatBehind(firewalls: ManagedFirewalls): string {
  if (firewalls.failure !== undefined) return "its firewalls are not known";
  const all = serialsOf(firewalls.rows).size;
  const late = serialsOf(overdue(firewalls)).size;
  const words = `${serialsOf(behind(firewalls)).size} of ${all} ${all === 1 ? "firewall" : "firewalls"} not in sync`;
  const own = obstructed(firewalls).size;
  return `${words}${late === 0 ? "" : `, ${late} away for too long`}${own === 0 ? "" : `, ${own} with something of their own in the way`}`;
}

/**
 * Returns serial numbers of firewalls with local settings that override or block a push, or that could not be queried. Locks and
 * uncommitted changes do not count.
 */
export function obstructed({ inTheWay = [] }: ManagedFirewalls): ReadonlySet<string> {
  return new Set(inTheWay.flatMap(({ kind, serial }) => (kind === "lock" || kind === "uncommitted" ? [] : [serial])));
}

/** Returns `fw-a: /config/…: its own value counts, 5 and not 6`. */
export function inTheWayWords({ serial, hostname, kind, xpath, words }: InTheWay): string {
  const name = hostname ?? serial;
  if (kind === "unknown") return `${name}: its local configuration is unknown: ${words}`;
  return kind === "lock" || kind === "uncommitted" ? `${name}: ${words}` : `${name}: ${xpath}: ${words}`;
}

/** Returns the serial numbers without duplicates. */
export function serialsOf(rows: readonly ManagedFirewall[]): ReadonlySet<string> {
  return new Set(rows.map(({ serial }) => serial));
}
