/** The condition in one pair of brackets. */
export type Predicate =
  | { readonly kind: "attribute"; readonly name: string; readonly value: string }
  | { readonly kind: "text"; readonly value: string }
  | { readonly kind: "child"; readonly tag: string; readonly value: string }
  | { readonly kind: "position"; readonly comparison: ComparisonSign; readonly operand: number | "last" }
  | { readonly kind: "or" | "and"; readonly operands: readonly Predicate[] };

export type ComparisonSign = "=" | "!=" | "<" | "<=" | ">" | ">=";

/** One child step. `tag` is undefined for `*`. */
export interface Step {
  readonly tag: string | undefined;
  readonly predicates: readonly Predicate[];
}

/** A parsed expression of the subset. */
export interface XPath {
  /** The original text. */
  readonly text: string;
  /** Begins at the document, so that its first step is the root element. */
  readonly absolute: boolean;
  readonly steps: readonly Step[];
}
