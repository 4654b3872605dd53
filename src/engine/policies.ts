import type { Where } from "../core/errors.js";
import type { TreeNode } from "../core/tree/node.js";
import type { Path } from "../core/tree/path.js";
import type { TargetConfiguration } from "../desired/configuration.js";
import type { FlowSet, Policy } from "../insight/policy.js";
import type { Session } from "../insight/replay.js";
import type { LogRecord } from "./log-reader.js";

/** Of a kind whose trees hold rules that let through and stop: what insight is told of them (docs/insight.md). */
export interface PolicyRole {
  /** True where a change at a path may change what is let through. */
  concerns(path: Path): boolean;
  /** All that must be read for the policies of a target to be whole; by what is desired of it. */
  subtrees(desired: TreeNode): readonly Path[];
  /** Loads what makes policies of trees. */
  load(): Promise<PolicyReader>;
}

export interface PolicyReader {
  /** The policies of each version of one tree; those of equal scope are versions of one. */
  policies(versions: readonly TreeNode[], options: PolicyOptions): readonly (readonly Policy[])[];
  /**
   * The flows that words mean in one rulebase of a tree. Throws `flow-not-understood` for a word that is no name and no literal there.
   */
  flows(root: TreeNode, scope: string, question: FlowQuestion, options: PolicyOptions): FlowSet;
  /** The rulebase that a document's place lies in; undefined for a place above all of them. */
  scopeAt(place: Path): string | undefined;
  /** Of a target that logs sessions. */
  readonly sessionLog?: SessionLog | undefined;
}

/** Where a target tells of sessions that were. */
export interface SessionLog {
  /** Of the log. */
  readonly type: string;
  /** Which records of which log tell of commits. */
  readonly commits: { readonly type: string; readonly query: string };
  /** `begun`: the same session is told of again when it ends. Undefined: the record is not understood. */
  read(record: LogRecord): LoggedSession | "begun" | undefined;
}

/** Sessions that a record tells of, and words of it for a person. */
export interface LoggedSession {
  /** The rulebase that judged them. */
  readonly scope: string;
  readonly session: Session;
  readonly source: string;
  readonly destination: string;
  /** `tcp/443`. */
  readonly service: string;
  readonly application: string;
  /** When it began and when it was told of, by the target's own clock (`yyyy/mm/dd hh:mm:ss`). */
  readonly began: string;
  readonly seen: string;
  /** How many sessions; at least one. */
  readonly times: number;
  /** Of all of them, both ways. */
  readonly bytes: number;
}

export interface PolicyOptions {
  /** File and line that declare the node at a path, where they are known. */
  readonly locate?: ((path: Path) => Where | undefined) | undefined;
  /** The target as plumbline.yaml has it, which may say how it reads its rules. */
  readonly configuration?: TargetConfiguration | undefined;
}

/** Names and literals as a person writes them; none: any. */
export interface FlowQuestion {
  readonly from: readonly string[];
  readonly to: readonly string[];
  readonly source: readonly string[];
  readonly destination: readonly string[];
  /** Names of services, or `tcp/443`, `udp/53,5353`, `icmp`. */
  readonly service: readonly string[];
  readonly application: readonly string[];
}
