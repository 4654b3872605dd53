import { DOMParser } from "@xmldom/xmldom";
import fc from "fast-check";
import { expect, it } from "vitest";
import xpath from "xpath";
import { TreeNode } from "../../../../src/core/tree/node.js";
import { quote } from "../../../../src/core/tree/path.js";
import { writeXml } from "../../../../src/core/tree/xml/write.js";
import { parseXPath, select } from "../../../../src/core/tree/xpath/xpath.js";

const tag = fc.constantFrom("entry", "member", "a", "b");
const value = fc.constantFrom("x", "y", "it's", 'say "x"', `both ' "`, "1/2", "a b", "[1]");

const leaf = fc
  .tuple(tag, fc.option(value, { nil: undefined }), fc.option(value, { nil: "" }))
  .map(([name, key, text]) => new TreeNode(name, key, text));
const branch = (child: fc.Arbitrary<TreeNode>, maxLength: number) =>
  fc
    .tuple(tag, fc.option(value, { nil: undefined }), fc.array(child, { minLength: 1, maxLength }))
    .map(([name, key, children]) => new TreeNode(name, key, "", children));
const twig = branch(leaf, 3);
const list = branch(leaf, 16);
const tree = fc
  .array(fc.oneof(leaf, twig, list, branch(twig, 3)), { minLength: 1, maxLength: 4 })
  .map((children) => new TreeNode("config", undefined, "", children));

const literal = value.map(quote);
const position = fc
  .tuple(fc.constantFrom("=", "!=", "<", "<=", ">", ">="), fc.constantFrom("1", "2", "3", "last()"))
  .map(([sign, operand]) => `position()${sign}${operand}`);
const term = fc.oneof(
  literal.map((text) => `@name=${text}`),
  literal.map((text) => `text()=${text}`),
  fc.tuple(tag, literal).map(([name, text]) => `${name}=${text}`),
  position,
);
const joined = fc.oneof(
  { weight: 3, arbitrary: term },
  fc.tuple(term, fc.constantFrom(" or ", " and "), term, fc.constantFrom(" or ", " and "), term).map((parts) => parts.join("")),
  fc.tuple(term, term, term).map(([a, b, c]) => `(${a} or ${b}) and ${c}`),
);
const predicate = fc.oneof({ weight: 4, arbitrary: joined }, { weight: 1, arbitrary: fc.constantFrom("1", "2", "last()") });
const step = fc
  .tuple(fc.oneof({ weight: 5, arbitrary: tag }, { weight: 1, arbitrary: fc.constant("*") }), fc.array(predicate, { maxLength: 2 }))
  .map(([name, predicates]) => name + predicates.map((inner) => `[${inner}]`).join(""));
const expression = fc.array(step, { minLength: 1, maxLength: 3 }).map((steps) => `/config/${steps.join("/")}`);

/** Numbers each node of the tree, so that both sides can name the nodes that they selected. */
function number(root: TreeNode): Map<TreeNode, string> {
  const numbers = new Map<TreeNode, string>();
  const visit = (node: TreeNode): void => {
    numbers.set(node, String(numbers.size));
    for (const child of node.children) visit(child);
  };
  visit(root);
  return numbers;
}

it("selects the same nodes as the xpath package, in the same order", () => {
  let found = 0;
  fc.assert(
    fc.property(tree, expression, (root, text) => {
      const copy = structuredCopy(root);
      const numbers = number(copy);
      for (const [node, id] of numbers) node.attributes = new Map([["id", id]]);
      const document = new DOMParser().parseFromString(writeXml(copy, { secrets: "label" }), "text/xml");
      const theirs = xpath.select(text, document as unknown as Node) as unknown as { getAttribute(name: string): string }[];
      const ours = select(copy, parseXPath(text)).map(({ node }) => numbers.get(node));
      found += ours.length;
      expect(ours).toEqual(theirs.map((element) => element.getAttribute("id")));
    }),
    { numRuns: 6000 },
  );
  expect(found).toBeGreaterThan(500);
});

function structuredCopy(node: TreeNode): TreeNode {
  return new TreeNode(node.tag, node.name, node.text, node.children.map(structuredCopy));
}
