/** What a manager says of one firewall that its target reaches, or of one virtual system of it. */
export interface ManagedFirewall {
  readonly serial: string;
  readonly hostname?: string | undefined;
  /** Where the firewall has several virtual systems. */
  readonly vsys?: string | undefined;
  /** What of the manager hands something to it, as documents name the place: `device-group/branch`. */
  readonly by: string;
  /** `unknown`: the manager says nothing that is understood, or what it says does not agree with its own sums. */
  readonly state: "in sync" | "out of sync" | "unknown";
  /** Of a firewall that is not, the state is what it last said. */
  readonly connected: boolean;
  /** Of one that is not, where `offline:` is declared: when it was first seen so, in ISO 8601, where somebody can remember it. */
  readonly away?: { readonly since: string | undefined; readonly tooLong: boolean } | undefined;
  /** The other half of its pair, by serial number, and the part that it plays in it; asked where we push. */
  readonly ha?: { readonly state: string; readonly peer: string } | undefined;
  /** Of the manager's configuration that it was handed. */
  readonly version?: string | undefined;
  /** The number that it bears, where that is the other manager's of a pair, or not known to be of the one that is asked. */
  readonly bears?: string | undefined;
  /** What the last push came to, in the manager's words; it says nothing of the state. */
  readonly lastPush?: { readonly result: string; readonly at: string | undefined } | undefined;
  /** Where all that it lacks is others' work, which our pushes leave out: whose. Nobody's: it has all, whatever its manager calls it. */
  readonly lacksOnlyOf?: readonly string[] | undefined;
  /** What the firewall itself says that it was handed, where it was asked. */
  readonly handed?: Handed | undefined;
}

/** What a firewall was handed, held against what follows from the running configuration of its manager. */
export interface Handed {
  readonly state: "equal" | "differs" | "unknown";
  /** The first of them. */
  readonly differences: readonly HandedDifference[];
  /** How many there are beside these. */
  readonly more: number;
  /** Why it is unknown. */
  readonly why?: string | undefined;
}

interface HandedDifference {
  /** `out of place`: a rule, or what stands in an order. */
  readonly what: "missing" | "extra" | "differs" | "out of place";
  /** Where the manager has it, or would have it. */
  readonly xpath: string;
  /** Short texts and lists; nothing of what is secret. */
  readonly wanted?: string | undefined;
  readonly found?: string | undefined;
}

/** Something of a firewall's own that is in the way of what its manager hands it. */
export interface InTheWay {
  readonly serial: string;
  readonly hostname?: string | undefined;
  /**
   * `name`: an object of its own bears the name of a pushed one, so that it refuses a push, as it does under a `lock`. `override`: its own
   * value counts and not the pushed one. `uncommitted`: work that a push leaves where it is. `unknown`: it could not be asked.
   */
  readonly kind: "name" | "lock" | "override" | "uncommitted" | "unknown";
  /** At the firewall. */
  readonly xpath: string;
  readonly words: string;
}

/**
 * What a push came to at one firewall. `missing`: its job ended without a word of it; `unknown`: nobody could say it in time;
 * `not pushed`: the push ended before its turn.
 */
export interface PushedFirewall {
  readonly serial: string;
  /** From 1. */
  readonly wave: number;
  /** Empty where none was made, or its number was lost. */
  readonly job: string;
  readonly result: "ok" | "failed" | "not connected" | "missing" | "unknown" | "not pushed";
  /** When it came to this, by our clock, in ISO 8601. */
  readonly since?: string | undefined;
  /** It had what was taken back: the result is of the push that brings the former state. */
  readonly isBack?: boolean | undefined;
  readonly lines: readonly string[];
}

/** A push of anybody that is not over, as the manager tells of it. */
export interface PushUnderWay {
  readonly job: string;
  /** The account that pushes. */
  readonly by: string;
  /** One of ours says its run, and which wave it is. */
  readonly description: string;
  /** By the manager's clock. */
  readonly since: string | undefined;
  /** The firewalls are asked whether they would take it, and nothing changes. */
  readonly asksOnly: boolean;
  /** Empty while the manager has not sent it. */
  readonly firewalls: readonly {
    readonly serial: string;
    readonly hostname: string | undefined;
    readonly result: "ok" | "failed" | "not connected" | "not ended";
  }[];
}

/** A configuration that was or is running on a manager. */
export interface RunningVersion {
  readonly version: number;
  readonly admin: string;
  readonly time: string;
  readonly description: string;
}

/** The firewalls that a target reaches. */
export interface ManagedFirewalls {
  /** `firewalls: watch` or `verify`: the target is in sync when they are. */
  readonly watched: boolean;
  readonly rows: readonly ManagedFirewall[];
  /** What firewalls have of their own, where they were asked. */
  readonly inTheWay?: readonly InTheWay[] | undefined;
  /** Pushes that are under way, where they were asked for. */
  readonly pushes?: readonly PushUnderWay[] | undefined;
  /** Why it is not known whether there are any. */
  readonly pushFailure?: string | undefined;
  /** Why nothing is known of them. */
  readonly failure?: string | undefined;
}

/** Rows of what is not known to be in sync, by its manager or by what it says itself. */
export function behind({ rows }: ManagedFirewalls): readonly ManagedFirewall[] {
  return rows.filter(({ state, handed }) => state !== "in sync" || (handed !== undefined && handed.state !== "equal"));
}

/** Rows of firewalls that say themselves that they have something else than they should. */
export function unlike({ rows }: ManagedFirewalls): readonly ManagedFirewall[] {
  return rows.filter(({ handed }) => handed?.state === "differs");
}

/** What a firewall has otherwise, in a few sentences. */
export function handedWords({ differences, more }: Handed): string {
  const words = differences.slice(0, SAID).map(({ what, xpath, wanted, found }) => {
    if (what !== "differs") return `${WHAT[what]} ${xpath}`;
    return wanted === undefined && found === undefined
      ? `has another ${xpath}`
      : `has ${found ?? "nothing"} in the place of ${wanted ?? "nothing"} at ${xpath}`;
  });
  const left = differences.length - words.length + more;
  return `${words.join("; ")}${left === 0 ? "" : `; and ${left} more`}`;
}

/** Differences that a sentence has room for. */
const SAID = 2;
const WHAT = { missing: "lacks", extra: "still has", "out of place": "has in another place" };

/** Rows of what has been away for longer than `offline:` lets it. */
export function overdue({ rows }: ManagedFirewalls): readonly ManagedFirewall[] {
  return rows.filter(({ away }) => away?.tooLong === true);
}

/** What is watched, and not known to be in sync, or away for too long to go by what it said last. */
export function isBehind(firewalls: ManagedFirewalls | undefined): boolean {
  if (firewalls?.watched !== true) return false;
  const { failure } = firewalls;
  return failure !== undefined || behind(firewalls).length > 0 || overdue(firewalls).length > 0 || obstructed(firewalls).size > 0;
}

/** `1 of 3 firewalls not in sync, 1 away for too long`; a firewall counts once, whatever is behind at it. */
export function behindWords(firewalls: ManagedFirewalls): string {
  if (firewalls.failure !== undefined) return "its firewalls are not known";
  const all = serialsOf(firewalls.rows).size;
  const late = serialsOf(overdue(firewalls)).size;
  const words = `${serialsOf(behind(firewalls)).size} of ${all} ${all === 1 ? "firewall" : "firewalls"} not in sync`;
  const own = obstructed(firewalls).size;
  return `${words}${late === 0 ? "" : `, ${late} away for too long`}${own === 0 ? "" : `, ${own} with something of their own in the way`}`;
}

/** Serial numbers of firewalls on which something of their own counts, or keeps a push from them, or that did not say. */
export function obstructed({ inTheWay = [] }: ManagedFirewalls): ReadonlySet<string> {
  return new Set(inTheWay.flatMap(({ kind, serial }) => (kind === "lock" || kind === "uncommitted" ? [] : [serial])));
}

/** `fw-a: /config/…: its own value counts, 5 and not 6`. */
export function inTheWayWords({ serial, hostname, kind, xpath, words }: InTheWay): string {
  const name = hostname ?? serial;
  if (kind === "unknown") return `${name}: what it has of its own is not known: ${words}`;
  return kind === "lock" || kind === "uncommitted" ? `${name}: ${words}` : `${name}: ${xpath}: ${words}`;
}

/** Serial numbers, each once. */
export function serialsOf(rows: readonly ManagedFirewall[]): ReadonlySet<string> {
  return new Set(rows.map(({ serial }) => serial));
}
