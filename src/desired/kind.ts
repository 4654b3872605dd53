import type { TreeNode } from "../core/tree/node.js";
import type { Path } from "../core/tree/path.js";
import type { Shape } from "../core/tree/shape.js";
import type { FlowField } from "./assertions.js";
import type { KindSettings } from "./configuration/kind-settings.js";
import type { FieldPlace } from "./field-table.js";
import type { DesiredNode } from "./model.js";

/** What the loader must know of one kind of target: its settings, its tree, and where its documents may hang. */
export interface DesiredKind {
  /** `kind:` in `plumbline.yaml`. */
  readonly kind: string;
  readonly settings: KindSettings;
  /** Tag of the root element, `config` for a firewall. */
  readonly rootTag: string;
  /** Shape of the root element itself: `shape.child("devices")` is what `/config/devices` is. */
  readonly shape: Shape;
  /** The words that `scope:` may say, for messages and editors: `vsysN`, `shared`, `template/NAME` … */
  readonly scopeWords: readonly string[];
  /** The path that a scope word means, from the root; undefined when it means none. */
  place(scope: string): Path | undefined;
  /**
   * Names that the shape does not know are errors, leaves have types, and entries of marked lists carry the owner's mark
   * (ADR 11): kinds whose objects are described whole.
   */
  readonly strict?: boolean;
  /** Rewrites values that the platform accepts in several spellings. Used by strict kinds, before entries without names get their keys. */
  canonical?(root: DesiredNode): DesiredNode;
  /** Types of logs that `watch:` may count. Undefined for a kind without commits: nothing can be taken back there, so it has no checks. */
  readonly logTypes?: readonly string[];
  /**
   * What is wrong with a word of `assert:`, as far as the word alone tells: an address that is none. Undefined for a kind whose
   * rules are not judged: it has no assertions.
   */
  flowWordFault?(field: FlowField, word: string): { readonly message: string; readonly next: string } | undefined;
  /** What the platform takes at the root element and below, as far as it is known; read when it is first asked for. */
  fields?(): FieldPlace;
  /**
   * What a leaf that nobody declares follows from, where it does: `address` of a subnet from its `cidr`. `text` gives the
   * text of a declared sibling.
   */
  derive?(list: Path, tag: string, text: (sibling: string) => string | undefined): string | undefined;
  /** True for a live entry without a mark that the platform made for itself, or that belongs to others: import leaves it out. */
  isPlatforms?(entry: TreeNode, path: Path): boolean;
  /**
   * Lists of a live tree that import declares complete and exclusive. Without `exclusive`, the same document would give a new object
   * other entries.
   */
  exclusiveLists?(live: TreeNode): readonly Path[];
  /** What is wrong with `name` as the name of a new entry of `list`, in words, or undefined: names made by `$forEach` are checked, never cut. */
  checkName?(list: Path, name: string): string | undefined;
}

/** What a platform takes in a field. */
export interface KnownField {
  /** The only words. */
  readonly words?: readonly string[];
  /** Characters. */
  readonly longest?: number;
  readonly number?: "whole" | "decimal";
  /** Of a number, both ends in; one that is left out is open. */
  readonly from?: number;
  readonly to?: number;
  /** A type of `src/desired/leaf-types.ts`; of a list that of each member. */
  readonly form?: string;
  /** The most members that a list of members may have. */
  readonly most?: number;
  /** A member that must be the only one of its list, such as `any`. */
  readonly alone?: string;
}

/** By `kind:` word. */
export type KindRegistry = ReadonlyMap<string, DesiredKind>;
