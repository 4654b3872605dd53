import type { TreeNode } from "../core/tree/node.js";
import type { Path } from "../core/tree/path.js";
import type { RuleKey } from "../reachability/flows/policy.js";
import type { Edit } from "./edit.js";
import type { EndingMember } from "./end-date.js";
import type { AccessRequest, Field } from "./request.js";
import type { Contained } from "./revoke.js";

/** A possible edit for an access request, before its effect is checked. */
export interface Draft {
  /** `member`: a member of an existing rule or group. `rule`: a new rule. */
  readonly kind: "member" | "rule";
  /** One line for users: `add web-03 to address group web-servers`. */
  readonly summary: string;
  readonly edits: readonly Edit[];
  /** Sentences about the origin of its settings. */
  readonly notes?: readonly string[];
}

/** Reason why no draft is possible at a place, as a sentence. */
type Obstacle = string;

export interface Drafts {
  readonly drafts: readonly Draft[];
  readonly obstacles: readonly Obstacle[];
}

/** Conventions of the repository for new rules and objects. What is omitted follows most of the other rules. */
export interface DesignConventions {
  /** With the placeholders {from}, {to}, {service}, {application}, {reason} and {n}. */
  readonly ruleName?: string;
  /** With the placeholders {address} and {n}. */
  readonly addressName?: string;
  /** With the placeholders {protocol}, {port} and {n}. */
  readonly serviceName?: string;
  readonly tags?: readonly string[];
  readonly logSetting?: string;
  readonly profileGroup?: string;
}

/** Configuration that drafts are made for. */
export interface DesignPlace {
  /** Name of the rulebase. */
  readonly scope: string;
  /** The complete configuration before the edit. */
  readonly tree: TreeNode;
  /** The part that documents declare. Only this part can be edited. */
  readonly declared: TreeNode;
  readonly conventions?: DesignConventions | undefined;
}

/** A rule of a rulebase, enabled or not. */
export interface ExistingRule {
  /** As in the keys of rules: `pre`, `local` … */
  readonly level: string;
  /** As in the keys of rules: a device group, or empty for a firewall. */
  readonly group: string;
  readonly name: string;
  readonly description: string;
  readonly isDisabled: boolean;
  /** Some document declares it. Only such rules can be edited. */
  readonly isDeclared: boolean;
  readonly path: Path;
}

/** A member with an end date, in a rule or in a group that only security rules use. */
export interface EndingPlace {
  /** For users: `source of rule web-to-db`. */
  readonly where: string;
  /** Path of the rule or group. */
  readonly path: Path;
  readonly until: string;
  readonly member: EndingMember;
  /** Name of the rule. Undefined: a group. */
  readonly rule: string | undefined;
  /** Removes the member. Undefined: it is the only member of the list. */
  readonly edits: readonly Edit[] | undefined;
}

/** Writes access requests for targets with ordered lists of rules. */
export interface RuleDesigner {
  readonly style: "rules";
  /**
   * Returns drafts that add the request to one field of an existing rule, or to a group in this field.
   *
   * @param byDefault Only if the rule matches applications on their default services.
   */
  extend(place: DesignPlace, request: AccessRequest, rule: RuleKey, field: Field, byDefault?: boolean): Drafts;
  /** Returns drafts with a new rule directly above `above`. Undefined: below all rules. */
  insert(place: DesignPlace, request: AccessRequest, above: RuleKey | undefined): Drafts;
  /**
   * Returns drafts that remove flows of the request from a rule, narrowest first: members of a field, of a group, or a group that is replaced
   * by its other members, and then the rule.
   */
  narrow(place: DesignPlace, request: AccessRequest, rule: RuleKey, contained: Contained): Drafts;
  /** Returns the rules that the firewall or device group itself has, in order. Undefined if rules of this place cannot be edited. */
  rules(place: DesignPlace): readonly ExistingRule[] | undefined;
  /** Returns edits that disable a rule, with the day. Undefined if its description has no room for the day. */
  disable(rule: ExistingRule, day: string): readonly Edit[] | undefined;
  /** Returns the declared members with an end date. */
  endingMembers(place: DesignPlace): readonly EndingPlace[];
}
