import { describe, expect, it } from "vitest";
import { contentKey, contentKeys } from "../../../src/core/tree/content-key.js";
import { TreeNode } from "../../../src/core/tree/node.js";
import { buildShape } from "../../../src/core/tree/shape-table.js";

const list = buildShape({
  root: {
    $: "list key=direction,ports,action",
    direction: "leaf default=in",
    ports: { $: "list key=from,to", from: "leaf", to: "leaf" },
    action: { $: "container empty=absent", verb: "leaf", log: "leaf default=no", id: "leaf readonly" },
    note: "leaf",
  },
  types: {},
});

const leaf = (tag: string, text: string): TreeNode => new TreeNode(tag, undefined, text);
const entry = (...children: TreeNode[]): TreeNode => new TreeNode("entry", undefined, "", children);
const port = (...children: TreeNode[]): TreeNode => new TreeNode("ports", undefined, "", [entry(...children)]);

describe("the key of an entry without a name", () => {
  it("consists of its leaves, with defaults for absent ones", () => {
    expect(contentKey(entry(leaf("direction", "out"), leaf("note", "x")), list)).toBe("out * *");
    expect(contentKey(entry(), list)).toBe("in * *");
  });

  it("includes all leaves of nested children, in any order", () => {
    const action = (...children: TreeNode[]): TreeNode => new TreeNode("action", undefined, "", children);
    const one = entry(port(leaf("from", "1"), leaf("to", "2")), action(leaf("verb", "pass"), leaf("id", "7"), leaf("log", "no")));
    const other = entry(action(leaf("verb", "pass")), port(leaf("to", "2"), leaf("from", "1")));
    expect(contentKey(one, list)).toBe("in 1,2 pass");
    expect(contentKey(other, list)).toBe(contentKey(one, list));
  });

  it("is quoted if it would be ambiguous, and numbered if it is not unique", () => {
    expect(contentKey(entry(leaf("direction", "in out")), list)).toBe('"in out" * *');
    expect(contentKey(entry(leaf("direction", "*")), list)).toBe('"*" * *');
    expect(contentKeys([entry(), entry(leaf("direction", "out")), entry()], list)).toEqual(["in * *", "out * *", "in * * #2"]);
  });
});
