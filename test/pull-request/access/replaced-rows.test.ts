import { describe, expect, it } from "vitest";
import { type Edit, withEdits } from "../../../src/access/edit.js";
import { find } from "../../../src/core/tree/lookup.js";
import { TreeNode } from "../../../src/core/tree/node.js";
import { parsePath } from "../../../src/core/tree/xpath/xpath.js";
import { settled, withFormerNames } from "../../../src/pull-request/access/replaced-rows.js";

const LIST = parsePath("/root/rows");
const row = (name: string) => new TreeNode("entry", name, "", [new TreeNode("text", undefined, name)]);
const tree = new TreeNode("root", undefined, "", [new TreeNode("rows", undefined, "", ["one", "two", "three"].map(row))]);
const names = (of: TreeNode) => find(of, LIST)?.children.map(({ name }) => name);
const replace = (from: string, to: string): Edit => ({ kind: "replace", at: LIST.entry(from), entry: row(to) });

describe("a replaced entry", () => {
  it("keeps its place", () => {
    expect(names(withEdits(tree, [replace("two", "2")]))).toEqual(["one", "2", "three"]);
  });

  it("has its former name in the tree that documents are compared with", () => {
    const edits = [replace("two", "2")];
    expect(names(withFormerNames(withEdits(tree, edits), edits))).toEqual(["one", "two", "three"]);
  });

  it("that is replaced again is replaced once, and a new entry is only added", () => {
    expect(settled([replace("two", "2"), replace("2", "II")])).toEqual([replace("two", "II")]);
    const added: Edit = { kind: "entry", list: LIST, entry: row("four"), after: "three" };
    expect(settled([added, replace("four", "4")])).toEqual([{ ...added, entry: row("4") }]);
    const inside: Edit = { kind: "text", at: LIST.entry("four").child("text"), text: "4" };
    expect(settled([added, inside])).toEqual([added]);
  });
});
