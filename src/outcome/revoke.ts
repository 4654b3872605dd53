import type { AccessWords, FileEdit } from "./access.js";
import type { FlowWords } from "./insight.js";
import type { Reach } from "./reach.js";

/** Answer to a request that a flow must not pass any longer (docs/access-requests.md#revoke). */
export interface RevokeResult {
  readonly request: AccessWords;
  /** Rulebase that decides. Undefined if the request was refused before. */
  readonly scope: string | undefined;
  /** `denied`: nothing needs to change. `designed`: an edit closes the flows. `refused`: no edit, with the reasons. */
  readonly state: "denied" | "designed" | "refused";
  /** The rules that decide now. */
  readonly now: Reach | undefined;
  /** Possible edits, narrowest first. */
  readonly designs: readonly RevokeDesign[];
  readonly reasons: readonly string[];
  /** Sentences about the firewalls that an edit of a manager covers. */
  readonly notes: readonly string[];
  /** Edit of the chosen design. Empty if it closes more and the caller did not accept that, or if it cannot be used. */
  readonly files: readonly FileEdit[];
  /** Why the edit cannot be used. */
  readonly faults: readonly string[];
  /** Refusals of guards that `plumbline apply` will repeat, until a person overrides them. */
  readonly atApply: readonly string[];
}

/** Answer of one target on the path of a flow. */
export interface RevokeHop extends RevokeResult {
  readonly target: string;
}

interface RevokeDesign {
  /** One line for each edit. */
  readonly steps: readonly string[];
  /** Flows outside the request that it closes. Empty: it closes nothing else. */
  readonly excess: readonly FlowWords[];
}
