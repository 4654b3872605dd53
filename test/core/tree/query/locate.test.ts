import fc from "fast-check";
import { expect, it } from "vitest";
import { TreeNode } from "../../../../src/core/tree/node.js";
import { Locator } from "../../../../src/core/tree/query/locate.js";
import { Query } from "../../../../src/core/tree/query/query.js";
import { parseXml } from "../../../../src/core/tree/xml/parse.js";

const tag = fc.constantFrom("entry", "member", "a");
const value = fc.constantFrom("x", "it's", `both ' "`);
const key = fc.option(value, { nil: undefined });
const leaf = fc.tuple(tag, key, fc.option(value, { nil: "" })).map(([name, own, text]) => new TreeNode(name, own, text));
const branch = fc
  .tuple(tag, key, fc.array(leaf, { minLength: 1, maxLength: 5 }))
  .map(([name, own, all]) => new TreeNode(name, own, "", all));
const tree = fc.array(fc.oneof(leaf, branch), { maxLength: 6 }).map((all) => new TreeNode("config", undefined, "", all));

function nodesOf(root: TreeNode, text: string) {
  const found = new Query(text).evaluate(root);
  if (typeof found !== "object") throw new Error(`${text} gives no nodes`);
  return found;
}

it("returns the node for which it was written, and no other", () => {
  fc.assert(
    fc.property(tree, (root) => {
      const locator = new Locator();
      for (const node of nodesOf(root, "//node() | //@*")) {
        const path = locator.locate(node);
        const led = nodesOf(root, path);
        expect(led.map((one) => locator.locate(one))).toEqual([path]);
        expect(led[0]?.nodeType).toBe(node.nodeType);
        expect(led[0]?.rank).toBe(node.rank);
      }
    }),
    { numRuns: 300 },
  );
});

it("uses names for entries, texts for members, and positions otherwise", () => {
  const root = parseXml("<config><a><entry name='x'/><entry name='x'/><member>m</member></a><b>t</b></config>");
  const locator = new Locator();
  expect(nodesOf(root, "//* | //@name | //b/text()").map((node) => locator.locate(node))).toEqual([
    "/config",
    "/config/a",
    "/config/a/entry[1]",
    "/config/a/entry[1]/@name",
    "/config/a/entry[2]",
    "/config/a/entry[2]/@name",
    "/config/a/member[text()='m']",
    "/config/b",
    "/config/b/text()",
  ]);
});
