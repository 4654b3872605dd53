import { PlumblineError, type Where } from "../../core/errors.js";
import type { TreeNode } from "../../core/tree/node.js";
import type { Path } from "../../core/tree/path.js";
import type { Shape } from "../../core/tree/shape.js";
import type { Selected } from "../../core/tree/xpath/xpath.js";
import type { GivenValue } from "../fleet.js";
import type { DesiredKind } from "../kind.js";
import type { DesiredNode } from "../model.js";
import type { Problems } from "../problems.js";
import type { SourceFile } from "../source-file.js";
import type { Template } from "../template.js";
import type { YamlDocument } from "../yaml/document.js";

/** Values of `${name}`, `${index}` and `${path}` inside an entry from `$forEach` or `$count`. */
export interface LocalScope {
  /** The selected node; undefined under `$count`. */
  readonly node: TreeNode | undefined;
  /** Path of the node in its target's tree. */
  readonly path?: Path | undefined;
  readonly target: string | undefined;
  /** From 1. */
  readonly index: number;
}

/** A leaf or member with references in its text. They are resolved after the trees of all targets are built. */
export interface PendingValue {
  readonly template: Template;
  readonly scope: LocalScope | undefined;
  readonly where: Where;
}

/** A declaration that needs a matching `owns:` line. Checked after all documents of the target are read. */
interface Obligation {
  /** `empty-map`: `{}`, an empty list. It empties the live list only if that is `exclusive`. */
  readonly kind: "empty-list" | "empty-map" | "shared-members";
  readonly path: Path;
  readonly where: Where;
  /** A valid alternative for the error message. */
  readonly example: string;
}

/** Data about one target, collected while its documents are built. */
export interface TargetDraft {
  readonly target: string;
  readonly kind: DesiredKind;
  /** Values of `${value:NAME}`, and the names of all declared values. */
  readonly values: ReadonlyMap<string, GivenValue>;
  readonly valueNames: readonly string[];
  readonly pending: Map<DesiredNode, PendingValue>;
  readonly obligations: Obligation[];
  /** Lists with `$add` or `$remove` that have not met the list of a wider document yet. */
  readonly edits: Set<DesiredNode>;
  /** Nodes with their own `$partial: true`: an exclusive container above leaves them open. */
  readonly partial: Set<DesiredNode>;
  /** Pairs of shape and tag that already caused a warning. */
  readonly warned: Map<Shape, Set<string>>;
  /** Lists to which a `$forEach` adds entries that are still unknown. */
  readonly unlisted: Path[];
  /** Inclusive ranges of the source map whose content is not checked: `unknown: allow`, `$xml`. */
  readonly verbatim: { readonly from: number; readonly to: number }[];
  /** Reports an error that blocks only this target. Without live lookups it is a normal error. */
  stop(error: PlumblineError): void;
}

/** A node that `$forEach` selects. `undecided`: `where:` needs a live value, which is read later, or not by this command. */
export interface LoopNode extends Selected {
  readonly undecided?: "later" | "offline";
}

/** Selects nodes for `$forEach`: declared nodes, or all live nodes with `isLive`. Reports an error and returns undefined if it cannot. */
export type Selector = (question: Selection) => readonly LoopNode[] | undefined;

/** A `$forEach` selection. `asking` is the target of the document. */
export interface Selection {
  readonly asking: string;
  readonly target: string;
  readonly xpath: string;
  readonly where: Where;
  /** `from: live`. */
  readonly isLive: boolean;
  readonly allowEmpty: boolean;
  /** `where:`, a path from each node that must lead to a value. */
  readonly condition: string | undefined;
}

/** Builds the elements that the keys of `map` declare. element.ts explains `nameKey`. */
type BuildChildren = (
  context: BuildContext,
  map: number,
  shape: Shape,
  path: Path,
  from: Inherited,
  nameKey: "key" | "ambiguous" | undefined,
) => DesiredNode[];

/** Context for building the tree of one document. */
export class BuildContext {
  readonly file: SourceFile;
  readonly doc: YamlDocument;
  /** Position of the file's first character in the target's source map. */
  readonly base: number;
  readonly problems: Problems;
  readonly draft: TargetDraft;
  readonly select: Selector;
  /** `unknown: allow`: unknown fields are written unchanged. */
  readonly allowsUnknown: boolean;
  /** Passed in to avoid an import cycle: elements contain lists, and their entries contain elements. */
  readonly children: BuildChildren;

  constructor(options: {
    file: SourceFile;
    doc: YamlDocument;
    base: number;
    problems: Problems;
    draft: TargetDraft;
    select: Selector;
    allowsUnknown: boolean;
    children: BuildChildren;
  }) {
    this.file = options.file;
    this.doc = options.doc;
    this.base = options.base;
    this.problems = options.problems;
    this.draft = options.draft;
    this.select = options.select;
    this.allowsUnknown = options.allowsUnknown;
    this.children = options.children;
  }

  where(node: number): Where {
    return this.file.where(this.doc.offset(node));
  }

  origin(node: number): number {
    return this.base + this.doc.offset(node);
  }

  error(error: PlumblineError): undefined {
    this.problems.error(error);
    return undefined;
  }

  /** Reports a missing value: `key:` with no text after it, or with everything below commented out. */
  leftOut(value: number, name: string): undefined {
    const port = /^\d+$/.test(name) ? ` If "${name}" belongs to the value before it, quote that value: "80,${name}".` : "";
    return this.error(
      new PlumblineError("empty-value", `"${name}" has no value.`, {
        where: this.where(value),
        next: `If everything below it is commented out, comment out the key too. Otherwise write {} for an empty element, [] for an empty list, "" for empty text.${port}`,
      }),
    );
  }
}

/** Properties that a node inherits from its ancestors. */
export interface Inherited {
  /** Inside a completely declared entry: undeclared nodes are extra. */
  readonly isComplete: boolean;
  readonly override: boolean;
  readonly scope: LocalScope | undefined;
}

export const AT_PLACE: Inherited = { isComplete: false, override: false, scope: undefined };
