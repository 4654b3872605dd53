import type { TreeNode } from "../node.js";
import { TEXT_TAG } from "../xml/builder.js";
import type { Comparison, Predicate } from "./expression.js";

/** Whether `node`, the `position`-th (from 1) of `size` candidates, fulfils `predicate`. A secret equals no text. */
export function matches(node: TreeNode, predicate: Predicate, position: number, size: number): boolean {
  switch (predicate.kind) {
    case "attribute":
      return (predicate.name === "name" ? node.name : node.attributes?.get(predicate.name)) === predicate.value;
    case "text":
      return hasText(node, predicate.value);
    case "child":
      return node.children.some((child) => child.tag === predicate.tag && stringValue(child) === predicate.value);
    case "position":
      return compare(position, predicate.comparison, predicate.operand === "last" ? size : predicate.operand);
    case "or":
      return predicate.operands.some((operand) => matches(node, operand, position, size));
    case "and":
      return predicate.operands.every((operand) => matches(node, operand, position, size));
  }
}

function hasText(node: TreeNode, value: string): boolean {
  if (node.children.length === 0) return node.text === value && value !== "";
  return node.children.some((child) => child.tag === TEXT_TAG && child.text === value);
}

/** All text below a node, in document order. */
function stringValue(node: TreeNode): string {
  return node.children.length === 0 ? node.text : node.children.map(stringValue).join("");
}

function compare(left: number, comparison: Comparison, right: number): boolean {
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
