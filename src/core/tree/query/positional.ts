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

/** True where a predicate may ask for the place of a node among the others, so that it matters which others there are. */
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

/** An expression and all below it. By a list and not by calls: the deeper ones of a long expression are more than the stack of a newer Node holds. */
export function everyPartOf(expression: Expression): readonly Expression[] {
  const parts = [expression];
  for (const part of parts) parts.push(...partsOf(part));
  return parts;
}

/** The expressions that an expression is made of. */
export function partsOf(expression: Expression): Expression[] {
  const { lhs, rhs, filter, filterPredicates = [], locationPath } = expression;
  const steps = locationPath?.steps.flatMap(({ predicates }) => predicates) ?? [];
  const operands = [lhs, rhs, filter].filter((part) => part !== undefined);
  return [...operands, ...(expression.arguments ?? []), ...filterPredicates, ...steps];
}

/** Those parts of an expression of which it asks alone whether they are true. */
export function truthsIn(expression: Expression): ReadonlySet<Expression> {
  if (JUNCTIONS.some((junction) => expression instanceof junction)) return new Set(partsOf(expression));
  if (expression instanceof FunctionCall)
    return new Set(expression.functionName === "not" || expression.functionName === "boolean" ? expression.arguments : []);
  const steps = expression.locationPath?.steps.flatMap(({ predicates }) => predicates) ?? [];
  return new Set([...steps, ...(expression.filterPredicates ?? [])]);
}
