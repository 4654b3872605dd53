import type { TreeNode } from "../core/tree/node.js";
import type { Path } from "../core/tree/path.js";
import type { Shape } from "../core/tree/shape.js";
import type { FlowField } from "./assertions.js";
import type { KindSettings } from "./configuration/kind-settings.js";
import type { FieldPlace } from "./field-table.js";
import type { DesiredNode } from "./model.js";
import type { RuleEnd } from "./rule-end.js";

/** Facts about one kind of target for the loader: its settings, its tree, and the places of its documents. */
export interface DesiredKind {
  /** `kind:` in `plumbline.yaml`. */
  readonly kind: string;
  readonly settings: KindSettings;
  /** Tag of the root element, `config` for a firewall. */
  readonly rootTag: string;
  /** Shape of the root element itself: `shape.child("devices")` is the shape of `/config/devices`. */
  readonly shape: Shape;
  /** Words for `scope:`, for messages and editors: `vsysN`, `shared`, `template/NAME` … */
  readonly scopeWords: readonly string[];
  /** Returns the path of a scope word, from the root, or undefined. */
  place(scope: string): Path | undefined;
  /**
   * For kinds with complete schemas: unknown names are errors, leaves have types, and entries of marked lists carry the owner's mark (ADR
   * 11).
   */
  readonly strict?: boolean;
  /** Rewrites values that the platform accepts in several spellings. Used by strict kinds, before entries without names get their keys. */
  canonical?(root: DesiredNode): DesiredNode;
  /** Log types that `watch:` may count. Undefined for a kind without commits: changes cannot be rolled back there, so it has no checks. */
  readonly logTypes?: readonly string[];
  /**
   * Returns an error in a word of `assert:` that the word alone shows, such as an invalid address. Undefined for a kind whose rules are not
   * analysed: it has no assertions.
   */
  flowWordFault?(field: FlowField, word: string): { readonly message: string; readonly next: string } | undefined;
  /** Whether the content of a device defines applications, which `applications:` of a document may record. */
  readonly hasApplications?: boolean;
  /** Returns the known fields at the root element and below. Loaded on first use. */
  fields?(): FieldPlace;
  /**
   * Returns the value of an undeclared leaf that follows from declared siblings: `address` of a subnet from its `cidr`. `text` returns the
   * text of a sibling.
   */
  derive?(list: Path, tag: string, text: (sibling: string) => string | undefined): string | undefined;
  /** Returns whether an unmarked live entry belongs to the platform or to others. Import omits it. */
  isPlatforms?(entry: TreeNode, path: Path): boolean;
  /**
   * Lists of a live tree that import declares complete and exclusive. Without `exclusive`, the same document would give a new object other
   * entries.
   */
  exclusiveLists?(live: TreeNode): readonly Path[];
  /** Returns the end dates in descriptions of a configuration. Undefined for a kind whose descriptions have none. */
  ruleEnds?(root: TreeNode): readonly RuleEnd[];
  /** Returns why `name` is not valid for a new entry of `list`, or undefined. Names from `$forEach` are checked, never truncated. */
  checkName?(list: Path, name: string): string | undefined;
}

/** Values that a platform accepts in a field. */
export interface KnownField {
  /** The only valid words. */
  readonly words?: readonly string[];
  /** Maximum length in characters. */
  readonly longest?: number;
  readonly number?: "whole" | "decimal";
  /** Inclusive range of a number; undefined ends are open. */
  readonly from?: number;
  readonly to?: number;
  /** A type of `src/desired/leaf-types.ts`. For a list, the type of each member. */
  readonly form?: string;
  /** Maximum number of members in a list. */
  readonly most?: number;
  /** A member that must be the only one of its list, such as `any`. */
  readonly alone?: string;
}

/** Kinds by the word after `kind:`. */
export type KindRegistry = ReadonlyMap<string, DesiredKind>;
