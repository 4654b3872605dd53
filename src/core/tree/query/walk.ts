import { onAxis } from "./axes.js";
import { inDocumentOrder } from "./document-order.js";
import type { DomNode } from "./dom.js";
import { ANY_PARENT, type NodeTest, nodeTestOf } from "./node-test.js";
import { isPositional } from "./positional.js";
import { AXIS, type Expression, NODE_TEST, type PathStep, type XPathContext, xpathPackage } from "./xpath-package.js";

const BACKWARDS: ReadonlySet<number> = new Set([AXIS.ancestor, AXIS.ancestorOrSelf, AXIS.preceding, AXIS.precedingSibling]);

/** A step, prepared for the walk. */
export interface WalkStep {
  readonly axis: number;
  readonly test: NodeTest;
  readonly predicates: readonly Expression[];
  /** Maximum number of nodes of the axis that are needed, for each context node. */
  readonly most?: number | undefined;
}

/**
 * Prepares the steps of a location path. In the grammar `//x` is two steps: all nodes and their children. It becomes one walk if no
 * predicate depends on the position among siblings. Otherwise the first step skips nodes without children.
 * @param isTruth True if only the existence of a result matters.
 */
export function walkSteps(steps: readonly PathStep[], isTruth: boolean): WalkStep[] {
  const walked: WalkStep[] = [];
  for (const step of steps) {
    const { axis, predicates } = step;
    const last = walked.at(-1);
    if (last?.axis === AXIS.descendantOrSelf && last.test === EVERYTHING && (axis === AXIS.child || axis === AXIS.attribute)) {
      walked.pop();
      if (axis === AXIS.child && !predicates.some(isPositional)) {
        walked.push({ axis: AXIS.descendant, test: nodeTestOf(step), predicates });
        continue;
      }
      walked.push({ ...last, test: ANY_PARENT });
    }
    const isEnough = isTruth && step === steps.at(-1) && predicates.length === 0;
    walked.push({
      axis,
      test: isEverything(step) ? EVERYTHING : nodeTestOf(step),
      predicates,
      most: isEnough ? 1 : placeIn(predicates[0]),
    });
  }
  return walked;
}

/** The `node()` test of the step that `//` abbreviates. */
const EVERYTHING: NodeTest = { elementsOnly: false, matches: () => true };

function isEverything({ axis, nodeTest, predicates }: PathStep): boolean {
  return axis === AXIS.descendantOrSelf && nodeTest.type === NODE_TEST.node && predicates.length === 0;
}

/** Returns the nodes that the steps reach from `nodes`, in document order and without duplicates. */
export function walk(nodes: readonly DomNode[], steps: readonly WalkStep[], context: XPathContext): readonly DomNode[] {
  let reached = nodes;
  for (const step of steps) reached = walkStep(reached, step, context);
  return reached;
}

function walkStep(nodes: readonly DomNode[], step: WalkStep, context: XPathContext): readonly DomNode[] {
  const own = step.predicates.length === 0 ? context : context.extend({});
  const [first] = nodes;
  if (first === undefined) return nodes;
  if (nodes.length === 1) return reach(first, step, own);
  const reached = new Set<DomNode>();
  for (const node of nodes) for (const found of reach(node, step, own)) reached.add(found);
  return inDocumentOrder([...reached]);
}

function reach(node: DomNode, { axis, test, predicates, most }: WalkStep, context: XPathContext): DomNode[] {
  let found = onAxis(axis, node, test, most);
  for (const predicate of predicates) found = filterBy(found, predicate, context);
  return BACKWARDS.has(axis) ? found.reverse() : found;
}

/** Returns `2` for `[2]`: later nodes need not be visited. */
function placeIn(predicate: Expression | undefined): number | undefined {
  return predicate?.filter instanceof xpathPackage.XNumber ? predicate.filter.numberValue() : undefined;
}

/** Returns the nodes for which a predicate holds. A number holds for the node at that position. Changes `context`. */
export function filterBy(nodes: readonly DomNode[], predicate: Expression, context: XPathContext): DomNode[] {
  context.contextSize = nodes.length;
  return nodes.filter((node, index) => {
    context.contextNode = node;
    context.contextPosition = index + 1;
    context.contextSize = nodes.length;
    const value = predicate.evaluate(context);
    return value instanceof xpathPackage.XNumber ? value.numberValue() === index + 1 : value.booleanValue();
  });
}
