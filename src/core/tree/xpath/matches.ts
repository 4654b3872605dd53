import type { TreeNode } from "../node.js";
import { TEXT_TAG } from "../xml/builder.js";
import type { ComparisonSign, Predicate } from "./expression.js";

/** Tests a node, the `position`-th (from 1) of `size` candidates. */
export type Test = (node: TreeNode, position: number, size: number) => boolean;

/** Returns the test of a predicate. Names joined by `or` are looked up in a set. A secret equals no text. */
export function tester(predicate: Predicate): Test {
  switch (predicate.kind) {
    case "attribute": {
      const { name, value } = predicate;
      return name === "name" ? (node) => node.name === value : (node) => node.attributes?.get(name) === value;
    }
    case "text":
      return (node) => hasText(node, predicate.value);
    case "child":
      return (node) => node.children.some((child) => child.tag === predicate.tag && stringValue(child) === predicate.value);
    case "position": {
      const { comparison, operand } = predicate;
      return (_, position, size) => compare(position, comparison, operand === "last" ? size : operand);
    }
    case "or":
      return anyOf(predicate.operands);
    case "and": {
      const tests = predicate.operands.map(tester);
      return (node, position, size) => tests.every((test) => test(node, position, size));
    }
  }
}

/** Tests one node. To filter a list, call `tester` once instead. */
export function matches(node: TreeNode, predicate: Predicate, position: number, size: number): boolean {
  return tester(predicate)(node, position, size);
}

function anyOf(operands: readonly Predicate[]): Test {
  const names = new Set<string>();
  const tests: Test[] = [];
  for (const operand of operands) {
    if (operand.kind === "attribute" && operand.name === "name") names.add(operand.value);
    else tests.push(tester(operand));
  }
  return (node, position, size) => (node.name !== undefined && names.has(node.name)) || tests.some((test) => test(node, position, size));
}

function hasText(node: TreeNode, value: string): boolean {
  if (node.children.length === 0) return node.text === value && value !== "";
  return node.children.some((child) => child.tag === TEXT_TAG && child.text === value);
}

/** Returns all text below a node, in document order. */
function stringValue(node: TreeNode): string {
  return node.children.length === 0 ? node.text : node.children.map(stringValue).join("");
}

function compare(left: number, comparison: ComparisonSign, right: number): boolean {
  switch (comparison) {
    case "=":
      return left === right;
    case "!=":
      return left !== right;
    case "<":
      return left < right;
    case "<=":
      return left <= right;
    case ">":
      return left > right;
    case ">=":
      return left >= right;
  }
}
