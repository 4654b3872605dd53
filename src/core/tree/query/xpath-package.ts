import xpath from "xpath";
import type { DomNode } from "./dom.js";

/**
 * The used part of the `xpath` package (its grammar and its parse trees), with types that it does not publish. The published types need
 * browser types, which are not available here.
 */
export interface XPathPackage {
  readonly parse: (text: string) => { readonly expression: { readonly expression: Expression } & Evaluates };
  readonly XNodeSet: new () => XNodeSet;
  readonly XNumber: new (value: number) => XValue & { readonly num: number };
  readonly XString: new (value: string) => XValue & { readonly str: string };
  readonly XBoolean: new (value: boolean) => XValue & { readonly b: boolean };
  readonly XPathContext: new () => XPathContext;
  readonly FunctionResolver: new () => { readonly functions: Readonly<Record<string, unknown>> };
  readonly PathExpr: abstract new () => PathExpression;
  readonly FunctionCall: abstract new () => FunctionCall;
  readonly VariableReference: abstract new () => { readonly variable: string };
  readonly OrOperation: abstract new () => Operation;
  readonly AndOperation: abstract new () => Operation;
  readonly EqualsOperation: abstract new () => Operation;
  readonly NotEqualOperation: abstract new () => Operation;
  readonly LessThanOperation: abstract new () => Operation;
  readonly GreaterThanOperation: abstract new () => Operation;
  readonly LessThanOrEqualOperation: abstract new () => Operation;
  readonly GreaterThanOrEqualOperation: abstract new () => Operation;
}

export interface Evaluates {
  evaluate(context: XPathContext): XValue;
}

/** A node of a parse tree. The present fields identify its type. */
export interface Expression extends Evaluates {
  readonly lhs?: Expression;
  readonly rhs?: Expression;
  readonly arguments?: readonly Expression[];
  readonly filter?: Expression | undefined;
  readonly filterPredicates?: readonly Expression[] | undefined;
  readonly locationPath?: LocationPath | undefined;
}

type Operation = Expression;
type PathExpression = Expression;

interface FunctionCall extends Expression {
  readonly functionName: string;
  readonly arguments: readonly Expression[];
}

interface LocationPath {
  readonly absolute: boolean;
  readonly steps: readonly PathStep[];
}

export interface PathStep {
  /** One of `AXIS`. */
  readonly axis: number;
  readonly nodeTest: { readonly type: number; readonly name?: string; readonly prefix?: string | null };
  readonly predicates: readonly Expression[];
}

/** Result of an evaluated expression. */
export interface XValue {
  numberValue(): number;
  stringValue(): string;
  booleanValue(): boolean;
  equals(other: XValue): XValue;
}

export interface XNodeSet extends XValue {
  tree: unknown;
  nodes: DomNode[];
  size: number;
  equals(other: XValue): XValue;
  stringForNode(node: DomNode): string;
  addArray(nodes: readonly DomNode[]): void;
  first(): DomNode | null;
  toArray(): DomNode[];
  union(other: XNodeSet): XNodeSet;
}

export interface XPathContext {
  expressionContextNode: DomNode;
  contextNode: DomNode;
  contextPosition: number;
  contextSize: number;
  extend(more: object): XPathContext;
}

/** Numbers of axes and node tests in the package. */
export const AXIS = {
  ancestor: 0,
  ancestorOrSelf: 1,
  attribute: 2,
  child: 3,
  descendant: 4,
  descendantOrSelf: 5,
  following: 6,
  followingSibling: 7,
  namespace: 8,
  parent: 9,
  preceding: 10,
  precedingSibling: 11,
  self: 12,
} as const;

export const NODE_TEST = { anyName: 0, anyNameOfPrefix: 1, name: 2, comment: 3, text: 4, processingInstruction: 5, node: 6 } as const;

export const xpathPackage: XPathPackage = xpath as unknown as XPathPackage;
