import type { SecretValue } from "../core/secret.js";
import { TreeNode } from "../core/tree/node.js";
import type { Path } from "../core/tree/path.js";
import type { AcceptedOverlap, Assertion } from "./assertions.js";
import type { Artifacts, Checks } from "./checks.js";
import type { RecordedApplications } from "./read-applications.js";
import type { SourceMap } from "./source-map.js";

/** Place of a block of entries in an ordered list (docs/desired-state.md#order). */
export type Position = { readonly where: "top" | "bottom" } | { readonly where: "before" | "after"; readonly anchor: string };

/** Directives of a node besides its content. Undefined for most nodes. */
export interface Handling {
  /** Members: texts that must be absent (`$exclude`). The node's children are then `$include`. */
  readonly exclude?: readonly string[];
  /** Members: the node adds its children to, and removes `exclude` from, the list of a document for more targets (`$add`, `$remove`). */
  readonly edits?: boolean;
  /** List without names: an `owns:` line names this list itself. */
  readonly exclusive?: boolean;
  /** List: an `owns:` line declares that other owners manage entries here, too. */
  readonly shared?: boolean;
  /**
   * Ordered list: place of the declared block. If several documents declare one list, the first entry of each document's block has the
   * position instead.
   */
  readonly position?: Position;
  /** Ordered list: unmanaged entries inside the block make the declared entries move together. */
  readonly contiguous?: boolean;
  /** Entry: name before a rename. */
  readonly was?: string;
  /** Leaf: `${keep}`. Must exist live; never written. */
  readonly keep?: boolean;
  /** Any live state, also absence, is correct. Set by `ignore`; never written. */
  readonly ignored?: boolean;
  /** Leaf: a secret. The node's text is the label of the secret. */
  readonly secret?: SecretValue;
  /** Leaf: the owner's mark of the entry. */
  readonly ownerMark?: boolean;
  /** Overwrite a value that is inherited from a template. */
  readonly override?: boolean;
  /** Cloud: adopt a single unmarked object with this name. */
  readonly adopt?: boolean;
  /** Cloud: the object may be down during a change in place. */
  readonly down?: boolean;
  /**
   * Cloud: values that can only be set at creation may be changed by a rebuild, which loses the data on the object's disk
   * (`Shape.rebuilt`).
   */
  readonly rebuild?: boolean;
  /** The object may be deleted and recreated for a change that is impossible in place. */
  readonly replace?: boolean;
  /** Leaf: expression whose value depends on another target's apply. The text is the expression. */
  readonly unresolved?: string;
  /** The reference or `$forEach` that produced this value, for `explain`. */
  readonly madeBy?: string;
}

/**
 * A node of desired state. `prunes` decides about an undeclared live child. In a `prunes` node (a complete entry and everything below, a
 * complete member list, an exclusive list) the child is `extra`. In an open node (a container, a merged list, a `$partial` entry, a step of
 * the place) the child is unmanaged.
 */
export class DesiredNode extends TreeNode {
  declare children: readonly DesiredNode[];
  /** Position in the desired state's `SourceMap`, or -1 for nodes that no file declares. */
  readonly origin: number;
  readonly prunes: boolean;
  /** False for the steps of a document's place: they are only walked, never created, compared or owned. */
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

/** An `ignore:` entry. `path` is an absolute XPath expression over the live tree. */
export interface Ignore {
  readonly path: string;
  readonly owner: string;
  readonly reason: string;
  /** Last day of validity, yyyy-mm-dd. */
  readonly until: string | undefined;
  readonly origin: number;
  /** Set if the ignore comes from a mode that prevents writing. The plan still reports differences. */
  readonly isObserved?: boolean | undefined;
}

/** A declared value that the platform refuses, or a missing required value. */
export interface ValueFault {
  readonly code: "value-type" | "field-missing";
  readonly path: Path;
  /** Position in the source map. */
  readonly origin: number;
  readonly message: string;
  readonly next: string;
  /** Only a warning now; a later version will report an error. */
  readonly soon: boolean;
}

/** The desired state of one target, always loaded completely. */
/** `applications:` of one document, with its place in the sources. */
export type TargetApplications = Omit<RecordedApplications, "node"> & { readonly origin: number };

export interface DesiredTarget {
  readonly target: string;
  /** The root element (`config` for a firewall). */
  readonly root: DesiredNode;
  /** Lists that may contain only declared entries. */
  readonly exclusive: readonly Path[];
  /** Lists of `exclusive` that may be emptied. */
  readonly allowEmpty: readonly Path[];
  readonly ignores: readonly Ignore[];
  /** Checks after a commit. Undefined if no document declares any. */
  readonly checks?: Checks | undefined;
  /** One per document with artifacts. */
  readonly artifacts?: readonly Artifacts[] | undefined;
  /** Definitions of applications of the device, one item per document with `applications:`. */
  readonly applications?: readonly TargetApplications[] | undefined;
  /** Assertions about flows. Undefined if no document contains any. */
  readonly assertions?: readonly Assertion[] | undefined;
  /** Lint findings that are accepted for some time. */
  readonly overlaps?: readonly AcceptedOverlap[] | undefined;
  /** Errors and warnings of `validate`; values with errors are not written. Undefined without faults. */
  readonly faults?: readonly ValueFault[] | undefined;
  /** Lists to which a `$forEach` over live objects adds undeclared entries. Undefined without such lists. */
  readonly unlisted?: readonly Path[] | undefined;
  readonly sources: SourceMap;
}
