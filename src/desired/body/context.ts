import { PlumblineError, type Where } from "../../core/errors.js";
import type { TreeNode } from "../../core/tree/node.js";
import type { Path } from "../../core/tree/path.js";
import type { Shape } from "../../core/tree/shape.js";
import type { Selected } from "../../core/tree/xpath.js";
import type { GivenValue } from "../fleet.js";
import type { DesiredKind } from "../kind.js";
import type { DesiredNode } from "../model.js";
import type { Problems } from "../problems.js";
import type { SourceFile } from "../source-file.js";
import type { Template } from "../template.js";
import type { YamlDocument } from "../yaml/document.js";

/** What `${name}`, `${index}` and `${path}` mean inside the entry that `$forEach` or `$count` makes. */
export interface LocalScope {
  /** The selected node and its target; undefined under `$count` alone. */
  readonly node: TreeNode | undefined;
  /** Where the node stands in its target's tree. */
  readonly path?: Path | undefined;
  readonly target: string | undefined;
  /** From 1. */
  readonly index: number;
}

/** A leaf or member whose text holds references; they are resolved once every target's tree stands. */
export interface PendingValue {
  readonly template: Template;
  readonly scope: LocalScope | undefined;
  readonly where: Where;
}

/** What is right only if `owns:` of some document says so; judged when all documents of the target are read. */
interface Obligation {
  /** `empty-map`: `{}`, a present and empty list, which empties the live one only under `exclusive`. */
  readonly kind: "empty-list" | "empty-map" | "shared-members";
  readonly path: Path;
  readonly where: Where;
  /** What the user may write instead. */
  readonly example: string;
}

/** What one target gathers while its documents are built. */
export interface TargetDraft {
  readonly target: string;
  readonly kind: DesiredKind;
  /** What `${value:NAME}` stands for, and the names of all that may stand for something. */
  readonly values: ReadonlyMap<string, GivenValue>;
  readonly valueNames: readonly string[];
  readonly pending: Map<DesiredNode, PendingValue>;
  readonly obligations: Obligation[];
  /** Lists that say `$add` or `$remove`, until a list of a wider document is found for them. */
  readonly edits: Set<DesiredNode>;
  /** Nodes that say `$partial: true` themselves: an exclusive container above leaves them open. */
  readonly partial: Set<DesiredNode>;
  /** Shape and tag pairs that were already warned of. */
  readonly warned: Map<Shape, Set<string>>;
  /** Lists to which a `$forEach` adds what is not known yet. */
  readonly unlisted: Path[];
  /** Positions of the source map, both ends in, of what is written as it stands and not judged: `unknown: allow`, `$xml`. */
  readonly verbatim: { readonly from: number; readonly to: number }[];
  /** Notes what stops this target and no other; an error like any other where nothing live is asked. */
  stop(error: PlumblineError): void;
}

/**
 * Selects nodes of another target for `$forEach` in documents of `asking`, among declared ones or, with `isLive`, among all
 * that are there; reports and returns undefined where it cannot.
 */
export type Selector = (question: Selection) => readonly Selected[] | undefined;

/** What `$forEach` in documents of `asking` selects. */
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

/** Builds the elements that the keys of `map` declare; element.ts says what `nameKey` is. */
type BuildChildren = (
  context: BuildContext,
  map: number,
  shape: Shape,
  path: Path,
  from: Inherited,
  nameKey: "key" | "ambiguous" | undefined,
) => DesiredNode[];

/** One document on its way to a tree. */
export class BuildContext {
  readonly file: SourceFile;
  readonly doc: YamlDocument;
  /** Position of the file's first character in the target's source map. */
  readonly base: number;
  readonly problems: Problems;
  readonly draft: TargetDraft;
  readonly select: Selector;
  /** `unknown: allow`: fields that nobody knows are written as they stand. */
  readonly allowsUnknown: boolean;
  /** Handed in: elements hold lists, and the entries of lists hold elements. */
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

  /** A value left out: `key:` with nothing behind it, or with everything below commented out. */
  leftOut(value: number, name: string): undefined {
    const port = /^\d+$/.test(name) ? ` If "${name}" belongs to the value before it, quote that value: "80,${name}".` : "";
    return this.error(
      new PlumblineError("empty-value", `"${name}" has no value.`, {
        where: this.where(value),
        next: `If everything below it is commented out, comment out the key too; else write {} for an empty element, [] for an empty list, "" for empty text.${port}`,
      }),
    );
  }
}

/** What a node takes from those above it. */
export interface Inherited {
  /** Below an entry that is whole: what is not declared is extra. */
  readonly whole: boolean;
  readonly override: boolean;
  readonly scope: LocalScope | undefined;
}

export const AT_PLACE: Inherited = { whole: false, override: false, scope: undefined };
