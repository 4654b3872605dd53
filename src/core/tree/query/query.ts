import { PlumblineError } from "../../errors.js";
import type { TreeNode } from "../node.js";
import type { Path } from "../path.js";
import { inDocumentOrder } from "./document-order.js";
import { DomDocument, type DomElement, type DomNode } from "./dom.js";
import { OrderedNodeSet } from "./ordered-node-set.js";
import { invalidExpression, type ParsedExpression, parseExpression } from "./parse.js";
import { everyPartOf, truthsIn } from "./positional.js";
import { neededSubtrees } from "./subtrees.js";
import { VisitBudget } from "./visit-budget.js";
import { filterBy, type WalkStep, walk, walkSteps } from "./walk.js";
import { type Expression, type XPathContext, type XValue, xpathPackage } from "./xpath-package.js";

const { PathExpr, XNodeSet, XNumber, XBoolean, XPathContext: PackageContext } = xpathPackage;

/** What an expression gives: nodes in document order, or a value. */
export type QueryResult = readonly DomNode[] | string | number | boolean;

/**
 * An expression of the whole of XPath 1.0 over trees: the grammar, functions and operators of the `xpath` package, location
 * paths walked by ourselves, because those of the package take the square of the nodes that they find.
 */
export class Query {
  readonly text: string;
  readonly #parsed: ParsedExpression;
  /** Results of absolute paths, which are the same wherever they stand: once an evaluation. */
  readonly #absolute = new Map<Expression, OrderedNodeSet>();

  /** Throws `xpath-expression-invalid`. */
  constructor(text: string) {
    this.text = text;
    this.#parsed = parseExpression(text);
    const parts = everyPartOf(this.#parsed.root);
    const truths = new Set(parts.flatMap((part) => [...truthsIn(part)]));
    for (const part of parts) this.#takeOver(part, truths.has(part));
  }

  /** The subtrees that hold all that the expression can look at from `context`; undefined for the whole tree. */
  subtrees(context: Path): readonly Path[] | undefined {
    return neededSubtrees(this.#parsed.root, context);
  }

  /**
   * Evaluates the expression with the root element as its context node. Throws `xpath-expression-invalid` for functions that
   * are given what they do not take, and `xpath-too-costly`.
   */
  evaluate(root: TreeNode, mostVisits?: number): QueryResult {
    return this.#evaluate(new DomDocument(root, new VisitBudget(this.text, mostVisits)).documentElement);
  }

  /** As `evaluate`, from the element at `context`; undefined where that is not there. */
  evaluateAt(root: TreeNode, context: Path): QueryResult | undefined {
    const { documentElement } = new DomDocument(root, new VisitBudget(this.text));
    const element = elementAt(documentElement, context);
    return element === undefined ? undefined : this.#evaluate(element);
  }

  #evaluate(element: DomElement): QueryResult {
    const context = new PackageContext();
    const { budget } = element.ownerDocument;
    context.expressionContextNode = element;
    this.#absolute.clear();
    try {
      return resultOf(this.#parsed.whole.evaluate(context));
    } catch (cause) {
      if (cause instanceof PlumblineError || !isOfPackage(cause)) throw cause;
      throw invalidExpression(this.text, cause.message, cause);
    } finally {
      budget.lift();
      this.#absolute.clear();
    }
  }

  /** Gives a location path a walk of ours. */
  #takeOver(expression: Expression, isTruth: boolean): void {
    if (!(expression instanceof PathExpr)) return;
    const { filter, filterPredicates = [], locationPath } = expression;
    const steps = walkSteps(locationPath?.steps ?? [], isTruth);
    if (filter === undefined) expression.evaluate = (context) => this.#path(expression, steps, context);
    else if (filterPredicates.length > 0 || locationPath !== undefined)
      expression.evaluate = (context) => filtered(filter.evaluate(context), filterPredicates, steps, context);
    else expression.evaluate = (context) => filter.evaluate(context);
  }

  #path(path: Expression, steps: readonly WalkStep[], context: XPathContext): XValue {
    if (path.locationPath?.absolute !== true) return OrderedNodeSet.of(walk([context.contextNode], steps, context));
    let found = this.#absolute.get(path);
    if (found === undefined) {
      found = OrderedNodeSet.of(walk([context.contextNode.ownerDocument], steps, context));
      this.#absolute.set(path, found);
    }
    return found;
  }
}

function elementAt(root: DomElement, path: Path): DomElement | undefined {
  const [first, ...steps] = path.steps();
  let at = first?.tag === root.tree.tag ? root : undefined;
  for (const { tag, name } of steps)
    at = at?.children.find((child): child is DomElement => child.nodeType === 1 && child.tree.tag === tag && child.tree.name === name);
  return at;
}

function filtered(value: XValue, predicates: readonly Expression[], steps: readonly WalkStep[], context: XPathContext): XValue {
  if (!(value instanceof XNodeSet)) throw new Error("only nodes can be followed by predicates or steps");
  let nodes = inDocumentOrder(value.toArray());
  const own = context.extend({});
  for (const predicate of predicates) nodes = filterBy(nodes, predicate, own);
  return OrderedNodeSet.of(walk(nodes, steps, context));
}

function resultOf(value: XValue): QueryResult {
  if (value instanceof XNodeSet) return inDocumentOrder(value.toArray());
  if (value instanceof XNumber) return value.numberValue();
  return value instanceof XBoolean ? value.booleanValue() : value.stringValue();
}

/** The package throws plain errors; others are ours. */
function isOfPackage(cause: unknown): cause is Error {
  return cause instanceof Error && Object.getPrototypeOf(cause) === Error.prototype;
}
