import type { FlowWords } from "./insight.js";
import type { Reach } from "./reach.js";

/** Answer to one access request (docs/access-requests.md). */
export interface AccessAnswer {
  readonly request: AccessWords;
  /** Rulebase that decides. Undefined if the request was refused before. */
  readonly scope: string | undefined;
  /**
   * `allowed`: nothing needs to change. `conditional`: facts outside the configuration decide. `designed`: an edit allows it. `refused`: no
   * edit, with the reasons.
   */
  readonly state: "allowed" | "conditional" | "designed" | "refused";
  /** The rules that decide now. Undefined if the request was refused before. */
  readonly now: Reach | undefined;
  /** Set if a rule of a manager decides before each rule of the firewall: its device group or `shared`, and the target of the manager. */
  readonly managed?: ManagedBy | undefined;
  /** Serial numbers of the firewalls that receive the rules of the scope. Only of a manager. */
  readonly firewalls?: readonly string[] | undefined;
  /** Possible edits, best first. The first one is used, unless another one is chosen. */
  readonly designs: readonly AccessDesign[];
  /** Why it was refused, or why other edits were not possible. */
  readonly reasons: readonly string[];
  readonly notes: readonly string[];
}

/** Where a manager's rule is. */
export interface ManagedBy {
  readonly scope: string;
  /** Undefined if `manager:` of the firewall is not set. */
  readonly target: string | undefined;
}

/** Answer to a request that names no target: one answer for each rulebase on the path of the flow. */
export interface PathAnswer {
  readonly request: AccessWords;
  /** The combined state. `refused`: one rulebase cannot be edited, or the path is not certain. */
  readonly state: AccessAnswer["state"];
  /** In the order of the path. Empty if the path is not certain. */
  readonly hops: readonly PathHopAnswer[];
  /** Reasons for a refusal that belong to no rulebase. */
  readonly reasons: readonly string[];
  /** Assumptions of the path, and conditions of targets that are not edited. */
  readonly notes: readonly string[];
}

export interface PathHopAnswer extends AccessAnswer {
  readonly target: string;
}

/** A request with its zones, as far as they are known. */
export interface AccessWords {
  readonly from: string;
  readonly to: string;
  readonly service: string;
  readonly application: string;
  /** User or group. Undefined: every user. */
  readonly user?: string | undefined;
  readonly fromZone?: string | undefined;
  readonly toZone?: string | undefined;
}

export interface AccessDesign {
  readonly summary: string;
  /** Rules that may deny some flows of the request remain: see `notes`. */
  readonly isPartial: boolean;
  /** Flows outside the request that it opens. Empty: it opens nothing else. */
  readonly excess: readonly FlowWords[];
  readonly notes: readonly string[];
}

/** Answers of one target, and the edit of its documents for all designed requests together. */
export interface AccessResult {
  readonly answers: readonly AccessAnswer[];
  /** Empty if a request was refused: requests are edited together or not at all. */
  readonly files: readonly FileEdit[];
  /** Why the edit cannot be used although each request has a design. */
  readonly faults: readonly string[];
}

/** Change of one document. */
export interface FileEdit {
  /** Relative to the folder of plumbline.yaml. */
  readonly file: string;
  readonly before: string;
  readonly after: string;
}
