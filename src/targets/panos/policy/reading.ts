import type { Where } from "../../../core/errors.js";
import type { Path } from "../../../core/tree/path.js";
import type { PolicyOptions } from "../../../engine/policies.js";

/**
 * What the vendor's documentation leaves open (docs/insight.md#what-is-not-known-of-devices), each with what is assumed where
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
  /** The way back of a NAT rule that works both ways stands right behind it, or behind all rules. */
  readonly wayBack: "behind its rule" | "behind all rules";
  /** It is for what is sent to any zone, or to those that its rule sends to. */
  readonly wayBackTo: "any zone" | "zones of its rule";
}

export const ASSUMED: Interpretation = {
  groupMembers: "from the rule",
  precedence: "nearest",
  targeted: "left out",
  defaultRules: "nearest",
  wildcards: "longest prefix",
  wayBack: "behind its rule",
  wayBackTo: "any zone",
};

/** What a translation is told beside the trees. */
export interface ReadingOptions extends PolicyOptions, Partial<Interpretation> {}

/** One translation at work: what was assumed, and doubts that came up, each said once. */
export class Reading {
  readonly assumed: Interpretation;
  readonly doubts = new Set<string>();
  readonly #locate: ReadingOptions["locate"];

  constructor({ locate, configuration: _, ...interpretation }: ReadingOptions = {}) {
    this.assumed = { ...ASSUMED, ...interpretation };
    this.#locate = locate;
  }

  where(path: Path): Where {
    return { xpath: path.toString(), ...this.#locate?.(path) };
  }
}
