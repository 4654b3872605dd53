import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { SecretValue } from "../../../../src/core/secret.js";
import { SecretLeaf, TreeNode } from "../../../../src/core/tree/node.js";
import { parseXml } from "../../../../src/core/tree/xml/parse.js";
import { writeXml } from "../../../../src/core/tree/xml/write.js";
import { DesiredNode } from "../../../../src/desired/model.js";
import { plain, xmlTree } from "../arbitraries.js";

const label = { secrets: "label" } as const;

describe("writeXml", () => {
  it("is read back as an equal tree, compact and indented", () => {
    fc.assert(
      fc.property(xmlTree, fc.boolean(), (tree, indent) => {
        expect(plain(parseXml(writeXml(tree, { indent, secrets: "label" })))).toEqual(plain(tree));
      }),
      { numRuns: 1500 },
    );
  });

  it("is stable when written again", () => {
    fc.assert(
      fc.property(xmlTree, fc.boolean(), (tree, indent) => {
        const xml = writeXml(tree, { indent, secrets: "label" });
        expect(writeXml(parseXml(xml), { indent, secrets: "label" })).toBe(xml);
      }),
    );
  });

  it("indents elements, not mixed content", () => {
    const tree = parseXml("<a><b><c/><c>x</c></b><m>t<i/></m></a>");
    expect(writeXml(tree, { indent: true, secrets: "label" })).toBe("<a>\n  <b>\n    <c/>\n    <c>x</c>\n  </b>\n  <m>t<i/></m>\n</a>");
  });

  it("escapes characters that a parser would change", () => {
    const node = new TreeNode("a", `"\n`, "1 < 2 & ]]>\r\n", undefined, new Map([["k", "\t"]]));
    expect(writeXml(node, label)).toBe('<a name="&quot;&#10;" k="&#9;">1 &lt; 2 &amp; ]]&gt;&#13;\n</a>');
  });

  it("writes the label of a secret, and its value only on request", () => {
    const secret = new SecretValue("pa<ss", "${env:PW}");
    const desired = new DesiredNode("key", undefined, "${env:PW}", [], { origin: 0, prunes: true, declared: true, handling: { secret } });
    for (const leaf of [new SecretLeaf("key", secret), desired]) {
      const tree = new TreeNode("a", undefined, "", [leaf]);
      expect(writeXml(tree, label)).toBe("<a><key>${env:PW}</key></a>");
      expect(writeXml(tree, { secrets: "reveal" })).toBe("<a><key>pa&lt;ss</key></a>");
    }
  });

  it("never includes a secret's value in an error", () => {
    const leaf = new SecretLeaf("key", new SecretValue("hidden\u0000", "label"));
    expect(() => writeXml(leaf, { secrets: "reveal" })).toThrow(/<key> holds U\+0000/);
    expect(() => writeXml(leaf, { secrets: "reveal" })).not.toThrow(/hidden/);
  });

  it("escapes metadata keys that are not XML names, only for display", () => {
    const node = new TreeNode("metadata", undefined, "", [
      new TreeNode("0day", undefined, "x"),
      new TreeNode("cost center", undefined, "7"),
    ]);
    expect(writeXml(node, label)).toBe("<metadata><_x0030_day>x</_x0030_day><cost_x0020_center>7</cost_x0020_center></metadata>");
    expect(() => writeXml(node, { secrets: "reveal" })).toThrow(expect.objectContaining({ code: "xml-unwritable" }));
  });

  it.each<[string, TreeNode]>([
    ["a control character in text", new TreeNode("a", undefined, "x\u0001")],
    ["half a surrogate pair", new TreeNode("a", undefined, "x\ud800")],
    ["U+FFFE in a name", new TreeNode("a", "\ufffe")],
    ["a tag that would begin another element", new TreeNode("a><b")],
    ["an empty tag", new TreeNode("")],
    ["an attribute that would begin another", new TreeNode("a", undefined, "", undefined, new Map([['x="1" y', "2"]]))],
    ["a name among the attributes", new TreeNode("a", "n", "", undefined, new Map([["name", "2"]]))],
  ])("refuses %s", (_, node) => {
    expect(() => writeXml(node, label)).toThrow(expect.objectContaining({ code: "xml-unwritable" }));
  });
});
