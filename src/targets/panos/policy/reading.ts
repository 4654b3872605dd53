import type { Where } from "../../../core/errors.js";
import type { Path } from "../../../core/tree/path.js";
import type { LookUps, PolicyOptions } from "../../../engine/policies.js";

/**
 * What the vendor's documentation leaves open (docs/contributing/flow-analysis.md#what-is-not-known-of-devices), each with what is assumed where
 * nobody says otherwise.
 */
export interface Interpretation {
  /** Members of a group of `shared` are looked up from the rule's own virtual system on, or from where the group stands. */
  readonly groupMembers: "from the rule" | "from the group";
  /** Of two objects of one name the one nearer to the rule, or the one farther up in the manager. */
  readonly precedence: "nearest" | "ancestors";
  /** Rules whose `target` leaves a firewall out are not handed to it, or are. */
  readonly targeted: "left out" | "delivered";
  /** Of default rules that several places of a manager have, the one nearer to the firewall counts, or that of `shared`. */
  readonly defaultRules: "nearest" | "shared";
  /** Of wildcard addresses the rule with the longest prefix is taken, or the first that matches. */
  readonly wildcards: "longest prefix" | "top down";
  /** An FQDN of which a device shows IPv6 as unknown may have IPv6 addresses, or has none. */
  readonly missingIpv6: "unknown" | "none";
  /** The way back of a static translation that works both ways is for what comes from any zone, or from those that its rule sends to. */
  readonly wayBackFrom: "any zone" | "its zones";
  /** It stands right behind its rule, or behind all rules. */
  readonly wayBackPlace: "behind its rule" | "behind all rules";
}

export const ASSUMED: Interpretation = {
  groupMembers: "from the rule",
  precedence: "nearest",
  targeted: "left out",
  defaultRules: "nearest",
  wildcards: "longest prefix",
  missingIpv6: "unknown",
  wayBackFrom: "any zone",
  wayBackPlace: "behind its rule",
};

/** Names that are told one by one. */
const SHOWN = 6;

/** What a translation is told beside the trees. */
export interface ReadingOptions extends PolicyOptions, Partial<Interpretation> {}

/** One translation at work: what was assumed, and doubts that came up, each said once. */
export class Reading {
  readonly assumed: Interpretation;
  readonly doubts = new Set<string>();
  readonly lookUps: LookUps | undefined;
  /** Names that were used as the device has them now. */
  readonly lookedUp = new Set<string>();
  readonly #locate: ReadingOptions["locate"];

  constructor({ locate, lookUps, configuration: _, applications: __, ...interpretation }: ReadingOptions = {}) {
    this.assumed = { ...ASSUMED, ...interpretation };
    this.lookUps = lookUps;
    this.#locate = locate;
  }

  /** Which names are as the device has them, and since when; nothing where there are none. */
  asOf(): readonly string[] {
    if (this.lookUps === undefined || this.lookedUp.size === 0) return [];
    const names = [...this.lookedUp];
    const more = names.length > SHOWN ? ` and ${names.length - SHOWN} more` : "";
    return [`As the device has them, as of ${this.lookUps.asOf}: ${names.slice(0, SHOWN).join(", ")}${more}.`];
  }

  where(path: Path): Where {
    return { xpath: path.toString(), ...this.#locate?.(path) };
  }
}
