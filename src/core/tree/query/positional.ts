import { type Expression, xpathPackage } from "./xpath-package.js";

const {
  PathExpr,
  FunctionCall,
  OrOperation,
  AndOperation,
  EqualsOperation,
  NotEqualOperation,
  LessThanOperation,
  GreaterThanOperation,
  LessThanOrEqualOperation,
  GreaterThanOrEqualOperation,
} = xpathPackage;

const JUNCTIONS = [OrOperation, AndOperation];
const COMPARISONS = [
  ...JUNCTIONS,
  EqualsOperation,
  NotEqualOperation,
  LessThanOperation,
  GreaterThanOperation,
  LessThanOrEqualOperation,
  GreaterThanOrEqualOperation,
];
const OF_BOOLEANS: ReadonlySet<string> = new Set(["not", "contains", "starts-with", "boolean", "true", "false", "lang"]);

/** Returns true if a predicate may depend on the position of a node among the others. */
export function isPositional(predicate: Expression): boolean {
  return !isTruthTest(predicate) || mentionsPosition(predicate);
}

function isTruthTest(predicate: Expression): boolean {
  if (COMPARISONS.some((comparison) => predicate instanceof comparison)) return true;
  if (!(predicate instanceof PathExpr)) return false;
  const { filter } = predicate;
  if (filter === undefined || predicate.locationPath !== undefined) return true;
  return filter instanceof FunctionCall && OF_BOOLEANS.has(filter.functionName);
}

function mentionsPosition(expression: Expression): boolean {
  return everyPartOf(expression).some(
    (part) => part instanceof FunctionCall && (part.functionName === "position" || part.functionName === "last"),
  );
}

/**
 * Returns an expression and all its parts. Uses a list instead of recursion: the nesting of a long expression exceeds the stack of newer
 * Node versions.
 */
export function everyPartOf(expression: Expression): readonly Expression[] {
  const parts = [expression];
  for (const part of parts) parts.push(...partsOf(part));
  return parts;
}

/** Returns the direct parts of an expression. */
export function partsOf(expression: Expression): Expression[] {
  const { lhs, rhs, filter, filterPredicates = [], locationPath } = expression;
  const steps = locationPath?.steps.flatMap(({ predicates }) => predicates) ?? [];
  const operands = [lhs, rhs, filter].filter((part) => part !== undefined);
  return [...operands, ...(expression.arguments ?? []), ...filterPredicates, ...steps];
}

/** Returns the parts of an expression of which only the boolean value matters. */
export function truthsIn(expression: Expression): ReadonlySet<Expression> {
  if (JUNCTIONS.some((junction) => expression instanceof junction)) return new Set(partsOf(expression));
  if (expression instanceof FunctionCall)
    return new Set(expression.functionName === "not" || expression.functionName === "boolean" ? expression.arguments : []);
  const steps = expression.locationPath?.steps.flatMap(({ predicates }) => predicates) ?? [];
  return new Set([...steps, ...(expression.filterPredicates ?? [])]);
}
