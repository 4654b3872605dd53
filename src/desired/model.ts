import type { SecretValue } from "../core/secret.js";
import { TreeNode } from "../core/tree/node.js";
import type { Path } from "../core/tree/path.js";
import type { AcceptedOverlap, Assertion } from "./assertions.js";
import type { Artifacts, Checks } from "./checks.js";
import type { SourceMap } from "./source-map.js";

/** Where a block of entries goes in an ordered list (docs/desired-state.md#order). */
export type Position = { readonly where: "top" | "bottom" } | { readonly where: "before" | "after"; readonly anchor: string };

/** What a document says about a node beyond its content; absent on most nodes. */
export interface Handling {
  /** Members: texts that must not be there (`$exclude`); the node's children are then `$include`. */
  readonly exclude?: readonly string[];
  /** Members: the node's children come to what a document for more targets lists, and `exclude` goes from it (`$add`, `$remove`). */
  readonly edits?: boolean;
  /** List without names: an `owns:` line names this list itself. */
  readonly exclusive?: boolean;
  /** List: an `owns:` line says that someone else manages entries here too. */
  readonly shared?: boolean;
  /**
   * Ordered list: where our block goes. Where several documents declare one list, it stands on the first entry of each
   * document's block instead: the block begins there.
   */
  readonly position?: Position;
  /** Ordered list: foreign entries inside our block make ours move together. */
  readonly contiguous?: boolean;
  /** Entry: its name before a rename. */
  readonly was?: string;
  /** Leaf: `${keep}`; must be present live, is never compared or written. */
  readonly keep?: boolean;
  /** Ignored: whatever is live (or nothing) is right. Set by `ignore`, never written. */
  readonly ignored?: boolean;
  /** Leaf: a secret; the node's text is its label. */
  readonly secret?: SecretValue;
  /** Write over a value inherited from a template. */
  readonly override?: boolean;
  /** Cloud: take over exactly one unmarked object of this name. */
  readonly adopt?: boolean;
  /** Cloud: may go down for a change in place. */
  readonly down?: boolean;
  /** Cloud: what is said once is given anew in place, and what the object keeps on its disk is lost (`Shape.rebuilt`). */
  readonly rebuild?: boolean;
  /** May be deleted and made again where it cannot be changed in place. */
  readonly replace?: boolean;
  /** Leaf: expression whose value is known only after another target's apply; the text is the expression. */
  readonly unresolved?: string;
  /** The reference or `$forEach` that made this value, for `explain`. */
  readonly madeBy?: string;
}

/**
 * A node of desired state. `prunes` says what an undeclared live child means: in a prunes node (a whole entry and all
 * below it, a whole member list, an exclusive list) it is `extra`; in an open one (a container, a merged list, a
 * `$partial` entry, a step of the place) it is nobody's business.
 */
export class DesiredNode extends TreeNode {
  declare children: readonly DesiredNode[];
  /** Position in the desired state's `SourceMap`; -1 for nodes that no file declares. */
  readonly origin: number;
  readonly prunes: boolean;
  /** False for the steps of a document's place: they are walked, never created, compared or owned. */
  readonly declared: boolean;
  handling: Handling | undefined;

  constructor(
    tag: string,
    name: string | undefined,
    text: string,
    children: readonly DesiredNode[],
    facts: { origin: number; prunes: boolean; declared: boolean; handling?: Handling | undefined },
  ) {
    super(tag, name, text, children);
    this.origin = facts.origin;
    this.prunes = facts.prunes;
    this.declared = facts.declared;
    this.handling = facts.handling;
  }
}

/** An `ignore:` entry. `path` is an XPath expression over the live tree, absolute. */
export interface Ignore {
  readonly path: string;
  readonly owner: string;
  readonly reason: string;
  /** ISO date (yyyy-mm-dd), last day on which it holds. */
  readonly until: string | undefined;
  readonly origin: number;
  /** A mode keeps runs from writing there. The plan still reports what differs. */
  readonly isObserved?: boolean | undefined;
}

/** A declared value that the platform would refuse, as far as it tells by itself, or one that it would miss. */
export interface ValueFault {
  readonly code: "value-type" | "field-missing";
  readonly path: Path;
  /** Position in the source map. */
  readonly origin: number;
  readonly message: string;
  readonly next: string;
  /** A warning: a later version will call it an error. */
  readonly soon: boolean;
}

/** Everything that a repository wants of one target, loaded whole or not at all. */
export interface DesiredTarget {
  readonly target: string;
  /** The root element (`config` for a firewall). */
  readonly root: DesiredNode;
  /** Lists that may hold nothing but what is declared. */
  readonly exclusive: readonly Path[];
  /** Lists of `exclusive` that may be emptied. */
  readonly allowEmpty: readonly Path[];
  readonly ignores: readonly Ignore[];
  /** What is looked at after a commit; undefined where no document declares any. */
  readonly checks?: Checks | undefined;
  /** Of each document that lists any. */
  readonly artifacts?: readonly Artifacts[] | undefined;
  /** What must be true of flows; undefined where no document asserts anything. */
  readonly assertions?: readonly Assertion[] | undefined;
  /** Findings of lint that are accepted for a while. */
  readonly overlaps?: readonly AcceptedOverlap[] | undefined;
  /** What `validate` calls an error, and no run writes, or a warning; undefined where there is none. */
  readonly faults?: readonly ValueFault[] | undefined;
  /** Lists to which a `$forEach` over live objects adds what nobody asked for yet; undefined where there is none. */
  readonly unlisted?: readonly Path[] | undefined;
  readonly sources: SourceMap;
}
