import { PlumblineError } from "../../errors.js";
import { everyPartOf } from "./positional.js";
import { AXIS, type Evaluates, type Expression, NODE_TEST, xpathPackage } from "./xpath-package.js";

const { FunctionCall, FunctionResolver, VariableReference } = xpathPackage;

/** Maximum length of an expression. Keeps the recursion for nested brackets within the stack. */
const LONGEST = 4096;
const AXES: ReadonlySet<number> = new Set(Object.values(AXIS));
const functions: ReadonlySet<string> = new Set(Object.keys(new FunctionResolver().functions).map((name) => name.replace("{}", "")));

/** A parsed XPath 1.0 expression: `whole` is evaluated, `root` is its topmost part. */
export interface ParsedExpression {
  readonly evaluates: Evaluates;
  readonly root: Expression;
}

/** Parses an expression with the grammar of the `xpath` package. Throws `xpath-expression-invalid`. */
export function parseExpression(text: string): ParsedExpression {
  if (text.length > LONGEST) throw invalidExpression(text.slice(0, 80), `it has more than ${LONGEST} characters`);
  const { expression: root } = parsed(text);
  for (const part of everyPartOf(root.expression)) check(part, text);
  return { evaluates: root, root: root.expression };
}

function parsed(text: string) {
  try {
    return xpathPackage.parse(text);
  } catch (cause) {
    throw invalidExpression(text, "it is not valid XPath 1.0", cause);
  }
}

/** Refuses constructs that the grammar accepts but that cannot be evaluated on our trees. */
function check(expression: Expression, text: string): void {
  if (expression instanceof VariableReference) throw invalidExpression(text, `$${expression.variable} has no value`);
  if (expression instanceof FunctionCall && !functions.has(expression.functionName))
    throw invalidExpression(text, `XPath 1.0 has no function ${expression.functionName}()`);
  for (const { axis, nodeTest } of expression.locationPath?.steps ?? []) {
    if (!AXES.has(axis)) throw invalidExpression(text, "it names an axis that does not exist");
    const prefixed = nodeTest.type === NODE_TEST.anyNameOfPrefix || nodeTest.name?.includes(":") === true;
    if (prefixed && nodeTest.type !== NODE_TEST.processingInstruction)
      throw invalidExpression(
        text,
        `configurations have no namespaces, so the prefix of ${nodeTest.name ?? `${nodeTest.prefix}:*`} means nothing`,
      );
  }
}

/** Returns the error for an expression that cannot be parsed or evaluated. */
export function invalidExpression(text: string, problem: string, cause?: unknown): PlumblineError {
  return new PlumblineError("xpath-expression-invalid", `The expression ${text} cannot be evaluated: ${problem}.`, {
    where: { xpath: text },
    next: "Correct the expression. On a command line, put it in quotes.",
    cause,
  });
}
