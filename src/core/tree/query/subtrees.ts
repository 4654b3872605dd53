import { outermost, Path } from "../path.js";
import { everyPartOf, partsOf } from "./positional.js";
import { AXIS, type Expression, NODE_TEST, type PathStep, xpathPackage } from "./xpath-package.js";

const { EqualsOperation, PathExpr, XString } = xpathPackage;

/** Axes that lead out of a subtree, other than to siblings. */
const OUT: ReadonlySet<number> = new Set([AXIS.ancestor, AXIS.ancestorOrSelf, AXIS.parent, AXIS.following, AXIS.preceding]);
const TO_SIBLINGS: ReadonlySet<number> = new Set([AXIS.followingSibling, AXIS.precedingSibling]);

/**
 * Returns the subtrees that contain every node that an expression can read, evaluated from the element at `context`. Uses the plain steps
 * at the beginning of its paths. Undefined if the expression may read any node. The result has no nested subtrees.
 */
export function neededSubtrees(expression: Expression, context: Path): readonly Path[] | undefined {
  const axes = axesOf(expression);
  const rootTag = context.steps()[0]?.tag;
  if (axes.some((axis) => OUT.has(axis))) return undefined;
  const begins = beginnings(expression, context);
  const paths = axes.some((axis) => TO_SIBLINGS.has(axis)) ? begins.map((path) => path.parent ?? path) : begins;
  const inside = paths.filter((path) => path.depth === 0 || path.steps()[0]?.tag === rootTag);
  if (begins.length === 0 || inside.some(({ depth }) => depth < 2)) return undefined;
  return outermost(inside);
}

function axesOf(expression: Expression): number[] {
  return everyPartOf(expression).flatMap(({ locationPath }) => locationPath?.steps.map(({ axis }) => axis) ?? []);
}

/** Returns the beginnings of all paths in an expression: absolute paths anywhere, and relative paths that begin at `context`. */
function beginnings(expression: Expression, context: Path | undefined): Path[] {
  const found: Path[] = [];
  const left = [{ part: expression, from: context }];
  for (const { part, from } of left) {
    const { filter, locationPath } = part;
    const isPath = part instanceof PathExpr;
    if (isPath && filter === undefined && locationPath !== undefined) found.push(...beginning(part, from));
    // Paths in predicates begin at nodes that are not known yet.
    for (const inner of partsOf(part)) left.push({ part: inner, from: isPath && inner !== filter ? undefined : from });
  }
  return found;
}

function beginning({ locationPath }: Expression, context: Path | undefined): Path[] {
  const start = locationPath?.absolute === true ? Path.root : context;
  if (start === undefined) return [];
  let path = start;
  for (const step of locationPath?.steps ?? []) {
    const next = plainStep(path, step);
    if (next === undefined) break;
    path = next;
  }
  return [path];
}

/** Returns the path after a step that names one child by its tag, or by its tag and `[@name='…']`. */
function plainStep(path: Path, { axis, nodeTest, predicates }: PathStep): Path | undefined {
  if (axis === AXIS.self && nodeTest.type === NODE_TEST.node && predicates.length === 0) return path;
  const { name } = nodeTest;
  if (axis !== AXIS.child || nodeTest.type !== NODE_TEST.name || name === undefined) return undefined;
  const [predicate, second] = predicates;
  if (predicate === undefined) return name === "entry" || name === "member" ? undefined : path.child(name);
  const key = second === undefined ? keyIn(predicate) : undefined;
  return key === undefined ? undefined : path.entry(key, name);
}

/** Returns `web` for `@name='web'`. */
function keyIn(predicate: Expression): string | undefined {
  if (!(predicate instanceof EqualsOperation)) return undefined;
  const { lhs, rhs } = predicate;
  const [step, second] = lhs?.locationPath?.steps ?? [];
  const isName = step?.axis === AXIS.attribute && step.nodeTest.type === NODE_TEST.name && step.nodeTest.name === "name";
  if (!isName || second !== undefined || step.predicates.length > 0 || lhs?.filter !== undefined) return undefined;
  if (rhs?.locationPath !== undefined || rhs?.filterPredicates?.length !== 0) return undefined;
  return rhs.filter instanceof XString ? rhs.filter.stringValue() : undefined;
}
