import type { TreeNode } from "../core/tree/node.js";
import type { RuleKey } from "../reachability/flows/policy.js";
import type { Edit } from "./edit.js";
import type { AccessRequest, Field } from "./request.js";

/** A possible edit for an access request, before its effect is checked. */
export interface Draft {
  /** `member`: a member of an existing rule or group. `rule`: a new rule. */
  readonly kind: "member" | "rule";
  /** One line for users: `add web-03 to address group web-servers`. */
  readonly summary: string;
  readonly edits: readonly Edit[];
}

/** Reason why no draft is possible at a place, as a sentence. */
type Obstacle = string;

export interface Drafts {
  readonly drafts: readonly Draft[];
  readonly obstacles: readonly Obstacle[];
}

/** Configuration that drafts are made for. */
export interface DesignPlace {
  /** Name of the rulebase. */
  readonly scope: string;
  /** The complete configuration before the edit. */
  readonly tree: TreeNode;
  /** The part that documents declare. Only this part can be edited. */
  readonly declared: TreeNode;
}

/** Writes access requests in the form of one kind of target. */
export interface RuleDesigner {
  /** Returns drafts that add the request to one field of an existing rule, or to a group in this field. */
  extend(place: DesignPlace, request: AccessRequest, rule: RuleKey, field: Field): Drafts;
  /** Returns drafts with a new rule directly above `above`. Undefined: below all rules. */
  insert(place: DesignPlace, request: AccessRequest, above: RuleKey | undefined): Drafts;
}
