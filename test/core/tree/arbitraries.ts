import fc from "fast-check";
import { type Attributes, TreeNode } from "../../../src/core/tree/node.js";

/** Characters that XML carries, the awkward ones often. */
const character = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom("a", "b", "z", "0", "9", "-", ".", "_", "/") },
  {
    weight: 3,
    arbitrary: fc.constantFrom(" ", "\t", "\n", "\r", "&", "<", ">", '"', "'", "]", "]]>", "é", "中", "😀", "\u0085", "\u2028", "\ufeff"),
  },
);

const xmlText = fc.array(character, { maxLength: 12 }).map((parts) => parts.join(""));
const xmlName = fc.constantFrom("entry", "member", "a", "b", "address", "ip-netmask", "x.y", "_u", "n:s", "é", "中文");

const attributes: fc.Arbitrary<Attributes | undefined> = fc.option(
  fc
    .uniqueArray(fc.tuple(fc.constantFrom("uuid", "admin", "time", "loc", "kind"), xmlText), {
      selector: ([key]) => key,
      minLength: 1,
      maxLength: 3,
    })
    .map((pairs) => new Map(pairs)),
  { nil: undefined },
);
const name = fc.option(xmlText, { nil: undefined, freq: 2 });

/** Trees as the parser makes them: no empty text nodes, no two texts side by side, no lone text child. */
export const xmlTree: fc.Arbitrary<TreeNode> = fc.letrec<{ node: TreeNode; leaf: TreeNode; branch: TreeNode; mixed: TreeNode }>((tie) => ({
  node: fc.oneof({ depthSize: "small", withCrossShrink: true }, tie("leaf"), tie("branch"), tie("mixed")),
  leaf: fc.tuple(xmlName, name, xmlText, attributes).map(([tag, key, text, others]) => new TreeNode(tag, key, text, undefined, others)),
  branch: fc
    .tuple(xmlName, name, fc.array(tie("node"), { minLength: 1, maxLength: 5 }), attributes)
    .map(([tag, key, children, others]) => new TreeNode(tag, key, "", children, others)),
  mixed: fc.tuple(xmlName, fc.array(fc.tuple(tie("leaf"), xmlText), { minLength: 1, maxLength: 3 })).map(
    ([tag, pairs]) =>
      new TreeNode(
        tag,
        undefined,
        "",
        pairs.flatMap(([leaf, text]) => (text === "" ? [leaf] : [leaf, new TreeNode("#text", undefined, text)])),
      ),
  ),
})).node;

/** Plain data of a tree, so that a failed comparison is readable. */
export function plain(node: TreeNode): unknown {
  return {
    tag: node.tag,
    name: node.name,
    text: node.text,
    attributes: node.attributes === undefined ? undefined : [...node.attributes],
    children: node.children.map(plain),
  };
}
