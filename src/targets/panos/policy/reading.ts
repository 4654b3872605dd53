import type { Where } from "../../../core/errors.js";
import type { Path } from "../../../core/tree/path.js";
import type { LookUps, PolicyOptions } from "../../../reachability/policy-role.js";

/**
 * Questions that the vendor's documentation leaves open (docs/contributing/flow-analysis.md#what-is-not-known-of-devices). Each has a
 * default.
 */
export interface Interpretation {
  /** Whether members of a group in `shared` are looked up from the virtual system of the rule, or from the scope of the group. */
  readonly groupMembers: "from the rule" | "from the group";
  /** Whether an object of the nearer or of the farther scope wins if both have the same name. */
  readonly precedence: "nearest" | "ancestors";
  /** Whether rules whose `target` excludes a firewall are omitted from the push, or delivered. */
  readonly targeted: "left out" | "delivered";
  /** Which of several default rules on a manager applies: the one nearest to the firewall, or that of `shared`. */
  readonly defaultRules: "nearest" | "shared";
  /** Whether the wildcard rule with the longest prefix wins, or the first that matches. */
  readonly wildcards: "longest prefix" | "top down";
  /** Whether an FQDN that a device shows with unknown IPv6 may have IPv6 addresses, or has none. */
  readonly missingIpv6: "unknown" | "none";
  /**
   * Whether the reverse direction of a bidirectional static translation applies to all zones, or only to the destination zones of its rule.
   */
  readonly wayBackFrom: "any zone" | "its zones";
  /** Position of the reverse direction: directly behind its rule, or behind all rules. */
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

/** Maximum number of names to list. */
const SHOWN = 6;

/** Options of a translation. */
export interface ReadingOptions extends PolicyOptions, Partial<Interpretation> {}

/** State of one translation: its assumptions, and the doubts that came up, without duplicates. */
export class Reading {
  readonly assumed: Interpretation;
  readonly doubts = new Set<string>();
  readonly lookUps: LookUps | undefined;
  /** Applications of the device. Undefined if none were requested. */
  readonly predefined: PolicyOptions["predefined"];
  /** Applications that questions name. */
  readonly applicationNames: ReadonlySet<string>;
  /** Names that were resolved to their current values on the device. */
  readonly resolvedNames = new Set<string>();
  readonly #locate: ReadingOptions["locate"];

  constructor({ locate, lookUps, predefined, configuration: _, applications = [], ...interpretation }: ReadingOptions = {}) {
    this.assumed = { ...ASSUMED, ...interpretation };
    this.lookUps = lookUps;
    this.predefined = predefined;
    this.applicationNames = new Set(applications);
    this.#locate = locate;
  }

  /** Returns the names that use values from the device, with their time. Empty if there are none. */
  asOf(): readonly string[] {
    if (this.lookUps === undefined || this.resolvedNames.size === 0) return [];
    const names = [...this.resolvedNames];
    const more = names.length > SHOWN ? ` and ${names.length - SHOWN} more` : "";
    return [`As the device has them, as of ${this.lookUps.asOf}: ${names.slice(0, SHOWN).join(", ")}${more}.`];
  }

  where(path: Path): Where {
    return { xpath: path.toString(), ...this.#locate?.(path) };
  }
}
