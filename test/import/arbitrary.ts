import fc from "fast-check";
import { TreeNode } from "../../src/core/tree/node.js";
import type { Shape } from "../../src/core/tree/shape.js";
import { panosShape } from "../../src/targets/panos/shape.js";

const ODD = [
  "*.example.com",
  "name",
  "__proto__",
  "constructor",
  "toString",
  "1",
  "010",
  "1.10",
  "no",
  "null",
  "~",
  "<<",
  "2026-01-01",
  "ethernet1/1.10",
  "corp\\nancy",
  "it's",
  'say "hi"',
  `both ' and "`,
  " leading",
  "trailing ",
  "${env:HOME}",
  "$${x}",
  "$was",
  "$entries",
  "${",
  "größe/é漢字🙂",
  "a: b",
  "a #b",
  "- x",
  "[x]",
  "{x}",
  "&a",
  "!t",
  "|",
  ">",
  "%",
  "@x",
  "`x`",
  "a,b",
  "?",
  ":",
  "x:",
  "---",
  "...",
  "=",
  "true",
  "\u0085next",
  "\u2028",
  "\u202e",
  "\ufeffx",
  "x".repeat(1100),
];

const ODD_TEXT = [
  ...ODD,
  "two\nlines",
  "\nstarts",
  "ends\n",
  "ends\n\n",
  "a\n\n  b",
  " x\ny",
  "tab\there",
  "cr\rhere",
  "x\n \ny",
  "  \n ",
  " ",
  "]]>",
  "<a>&amp;</a>",
  "#c\n# d\n",
  "a\n---\nb",
];

/** Characters that XML can hold. */
const character = fc.oneof(
  { weight: 8, arbitrary: fc.constantFrom(..."abcXYZ019 -_./:,#'\"\\[]{}&*!|>%@`$?=~<") },
  { weight: 1, arbitrary: fc.integer({ min: 0x80, max: 0x2fff }).map((code) => String.fromCodePoint(code)) },
  { weight: 1, arbitrary: fc.integer({ min: 0x1f300, max: 0x1f6ff }).map((code) => String.fromCodePoint(code)) },
);
const string = fc.string({ unit: character, maxLength: 12 });
const name = fc.oneof(fc.constantFrom(...ODD), string, fc.constantFrom("a", "b", "vsys1", "localhost.localdomain"));
export const text = fc.oneof(fc.constantFrom(...ODD_TEXT), string);
const tag = fc.constantFrom(
  "name",
  "constructor",
  "__proto__",
  "a",
  "b",
  "c.d",
  "x-y",
  "entry",
  "member",
  "devices",
  "config",
  "password",
  "rules",
  "x:y",
);

type Maker = fc.Arbitrary<TreeNode>;

const leaf = (tag: string, from: fc.Arbitrary<string> = text): Maker => from.map((value) => new TreeNode(tag, undefined, value));

const odd: Maker = fc.letrec<{ node: TreeNode }>((tie) => ({
  node: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    fc.tuple(tag, fc.option(name, { nil: undefined }), text, attributes()).map(([t, n, value, at]) => new TreeNode(t, n, value, [], at)),
    fc
      .tuple(tag, fc.option(name, { nil: undefined }), fc.array(tie("node"), { maxLength: 4 }), attributes())
      .map(([t, n, children, at]) => new TreeNode(t, n, "", children, at)),
  ),
})).node;

function attributes() {
  return fc.option(
    fc.constantFrom(new Map([["admin", "bob"]]), new Map([["uuid", "1-2"]]), new Map([["type", "array"]]), new Map([["odd", "x y"]])),
    { nil: undefined, freq: 12 },
  );
}

/** A node like on a device, if the shape has the place. */
function known(tag: string, shape: Shape, depth: number): Maker {
  switch (shape.kind) {
    case "leaf":
      return leaf(tag);
    case "members":
      return fc.array(leaf("member", name), { maxLength: 4 }).map((members) => new TreeNode(tag, undefined, "", members));
    case "list":
      return fc.uniqueArray(fc.tuple(name, body(shape.child("entry"), depth - 1)), { maxLength: 3, selector: ([n]) => n }).map(
        (entries) =>
          new TreeNode(
            tag,
            undefined,
            "",
            entries.map(([n, children]) => new TreeNode("entry", n, "", children)),
          ),
      );
    default:
      return body(shape, depth - 1).map((children) => new TreeNode(tag, undefined, "", children));
  }
}

function body(shape: Shape, depth: number): fc.Arbitrary<TreeNode[]> {
  if (depth <= 0) return fc.constant([]);
  const tags = shape.knownTags;
  const children: Maker[] = [];
  return fc
    .tuple(
      tags.length === 0 ? fc.constant([]) : fc.uniqueArray(fc.constantFrom(...tags), { maxLength: 4 }),
      fc.array(odd, { maxLength: 1 }),
    )
    .chain(([chosen, strange]) => {
      const makers = [...children, ...chosen.map((one) => known(one, shape.child(one), depth))];
      return makers.length === 0 ? fc.constant(strange) : fc.tuple(...makers).map((nodes) => [...nodes, ...strange]);
    });
}

/** Complete configurations: known places as the shape has them, with arbitrary nodes anywhere. */
export const configuration: Maker = body(panosShape(), 9).map((children) => new TreeNode("config", undefined, "", children));

/** Configurations that the shape does not know. */
export const oddConfiguration: Maker = fc.array(odd, { maxLength: 6 }).map((children) => new TreeNode("config", undefined, "", children));
