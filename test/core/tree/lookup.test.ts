import { describe, expect, it } from "vitest";
import { childByTag, childEntry, childMember, find, pathOf } from "../../../src/core/tree/lookup.js";
import { Path } from "../../../src/core/tree/path.js";
import { parseXml } from "../../../src/core/tree/xml/parse.js";

const root = parseXml(
  `<config><shared><address><entry name="web"><fqdn>a</fqdn></entry><entry name="x/y 'z'"/></address><tags><member>t 1</member></tags></shared></config>`,
);
const list = Path.root.child("config").child("shared").child("address");

describe("find", () => {
  it("follows tags, names and texts from the root element", () => {
    expect(find(root, Path.root.child("config"))).toBe(root);
    expect(find(root, list.entry("web").child("fqdn"))?.text).toBe("a");
    expect(find(root, list.entry("x/y 'z'"))?.name).toBe("x/y 'z'");
    expect(find(root, Path.root.child("config").child("shared").child("tags").member("t 1"))?.tag).toBe("member");
  });

  it("returns undefined for a missing node", () => {
    expect(find(root, Path.root)).toBeUndefined();
    expect(find(root, Path.root.child("other"))).toBeUndefined();
    expect(find(root, Path.root.entry("x", "config"))).toBeUndefined();
    expect(find(root, list.entry("nope").child("fqdn"))).toBeUndefined();
    expect(find(root, list.member("web"))).toBeUndefined();
  });
});

describe.each([3, 11, 12, 13, 500])("children of a list of %i", (count) => {
  const entries = Array.from({ length: count }, (_, index) => `<entry name="e${index}"><v>${index}</v></entry><m>t${index}</m>`).join("");
  const node = parseXml(`<list><other/>${entries}<entry name="e0"><v>again</v></entry><m>t0</m><m>t1<i/></m></list>`);

  it("are found by tag, name and text; the first of equal ones is returned", () => {
    for (let index = 0; index < count; index++) {
      expect(childEntry(node, `e${index}`)?.children[0]?.text).toBe(String(index));
      expect(childMember(node, `t${index}`, "m")).toBe(node.children[2 + 2 * index]);
    }
    expect(childByTag(node, "other")).toBe(node.children[0]);
    expect(childByTag(node, "entry")?.name).toBe("e0");
    expect(childEntry(node, "e0", "m")).toBeUndefined();
    expect(childEntry(node, "constructor")).toBeUndefined();
    expect(childMember(node, "absent", "m")).toBeUndefined();
  });
});

it("pathOf uses names for entries, texts for members and tags otherwise", () => {
  const node = parseXml(`<a><entry name="n"/><member>m</member><member><x/></member><leaf>l</leaf></a>`);
  expect(node.children.map((child) => pathOf(Path.root.child("a"), child).toString())).toEqual([
    "/a/entry[@name='n']",
    "/a/member[text()='m']",
    "/a/member",
    "/a/leaf",
  ]);
});
