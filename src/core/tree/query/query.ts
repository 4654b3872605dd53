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

/** Result of an expression: nodes in document order, or a value. */
export type QueryResult = readonly DomNode[] | string | number | boolean;

/**
 * An XPath 1.0 expression over trees. Uses the grammar, functions and operators of the `xpath` package, but its own evaluation of location
 * paths, because that of the package takes quadratic time.
 */
export class Query {
  readonly text: string;
  readonly #parsed: ParsedExpression;
  /** Results of absolute paths, which are equal for every context. Cleared before each evaluation. */
  readonly #absolute = new Map<Expression, OrderedNodeSet>();

  /** Throws `xpath-expression-invalid`. */
  constructor(text: string) {
    this.text = text;
    this.#parsed = parseExpression(text);
    const parts = everyPartOf(this.#parsed.root);
    const truths = new Set(parts.flatMap((part) => [...truthsIn(part)]));
    for (const part of parts) this.#takeOver(part, truths.has(part));
  }

  /** Returns the subtrees that contain every node that the expression can read from `context`. Undefined for the complete tree. */
  subtrees(context: Path): readonly Path[] | undefined {
    return neededSubtrees(this.#parsed.root, context);
  }

  /**
   * Evaluates the expression with the root element as context node. Throws `xpath-expression-invalid` for invalid arguments of functions,
   * and `xpath-too-costly`.
   */
  evaluate(root: TreeNode, mostVisits?: number): QueryResult {
    return this.#evaluate(new DomDocument(root, new VisitBudget(this.text, mostVisits)).documentElement);
  }

  /** Evaluates the expression from the element at `context`. Undefined if the element does not exist. */
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
      return resultOf(this.#parsed.evaluates.evaluate(context));
    } catch (cause) {
      if (cause instanceof PlumblineError || !isOfPackage(cause)) throw cause;
      throw invalidExpression(this.text, cause.message, cause);
    } finally {
      budget.lift();
      this.#absolute.clear();
    }
  }

  /** Replaces the evaluation of a location path. */
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

/** The package throws plain `Error` objects; other errors are our own. */
function isOfPackage(cause: unknown): cause is Error {
  return cause instanceof Error && Object.getPrototypeOf(cause) === Error.prototype;
}
