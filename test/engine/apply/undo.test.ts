import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { applyOperation } from "../../../src/core/apply-operation.js";
import type { Operation } from "../../../src/core/operation.js";
import { cloneTree, UndoLog } from "../../../src/core/tree/edit/edit-tree.js";
import { equalNodes } from "../../../src/core/tree/equal.js";
import { find } from "../../../src/core/tree/lookup.js";
import { TreeNode } from "../../../src/core/tree/node.js";
import { Path } from "../../../src/core/tree/path.js";
import { buildShape } from "../../../src/core/tree/shape-table.js";
import { touchedBy } from "../../../src/engine/apply/changed-nodes.js";
import { differingUnit } from "../../../src/engine/apply/differing-node.js";
import { inverseOf } from "../../../src/engine/apply/inverse.js";
import { Undo } from "../../../src/engine/apply/undo.js";

const shape = buildShape({
  root: {
    $: "container",
    address: { $: "list", "ip-netmask": "leaf", tag: "members" },
    rules: { $: "list ordered", source: "members ordered" },
  },
  types: {},
});
const config = Path.root.child("config");
const addresses = config.child("address");
const rules = config.child("rules");
const NAMES = ["a", "b", "c", "d", "e"];

function entry(name: string, ...children: TreeNode[]): TreeNode {
  return new TreeNode("entry", name, "", children);
}

function leaf(tag: string, text: string): TreeNode {
  return new TreeNode(tag, undefined, text);
}

function members(tag: string, texts: readonly string[]): TreeNode {
  return new TreeNode(
    tag,
    undefined,
    "",
    texts.map((text) => leaf("member", text)),
  );
}

function address(name: string, ip: string, tags: readonly string[]): TreeNode {
  return entry(name, leaf("ip-netmask", ip), ...(tags.length === 0 ? [] : [members("tag", tags)]));
}

function tree(addressList: readonly TreeNode[], ruleList: readonly TreeNode[]): TreeNode {
  return new TreeNode("config", undefined, "", [
    new TreeNode("address", undefined, "", addressList),
    new TreeNode("rules", undefined, "", ruleList),
  ]);
}

const someTags = fc.subarray(["red", "green", "blue"]);
const someAddress = fc
  .tuple(fc.constantFrom(...NAMES), fc.constantFrom("1.1.1.1", "2.2.2.2"), someTags)
  .map(([name, ip, tags]) => address(name, ip, tags));
const someTree = fc.tuple(fc.uniqueArray(someAddress, { selector: (node) => node.name }), fc.subarray(NAMES)).map(([list, names]) =>
  tree(
    list,
    names.map((name) => entry(name, members("source", [name]))),
  ),
);

const someOperation: fc.Arbitrary<Operation> = fc.oneof(
  someAddress.map((element): Operation => ({ action: "set", at: addresses, element })),
  someAddress.map((element): Operation => ({ action: "set", at: config, element: new TreeNode("address", undefined, "", [element]) })),
  someAddress.map((element): Operation => ({ action: "edit", at: addresses.entry(element.name ?? ""), element })),
  fc.constantFrom(...NAMES).map((name): Operation => ({ action: "delete", at: addresses.entry(name) })),
  fc.constantFrom(...NAMES).map((name): Operation => ({ action: "delete", at: rules.entry(name) })),
  fc.constantFrom(...NAMES).map((name): Operation => ({ action: "delete", at: addresses.entry(name).child("tag").member("red") })),
  fc.constantFrom(...NAMES).map((name): Operation => ({ action: "set", at: rules, element: entry(name, members("source", ["any"])) })),
  fc
    .tuple(fc.constantFrom(...NAMES), fc.constantFrom(...NAMES))
    .map(([name, anchor]): Operation => ({ action: "move", at: rules.entry(name), where: "after", anchor })),
  fc.constantFrom(...NAMES).map((name): Operation => ({ action: "move", at: rules.entry(name), where: "top" })),
  fc
    .tuple(fc.constantFrom(...NAMES), fc.constantFrom(...NAMES))
    .map(([name, newName]): Operation => ({ action: "rename", at: addresses.entry(name), newName })),
);

/** The operations that the tree allows, one after another, and the resulting tree. */
function carryOut(base: TreeNode, operations: readonly Operation[]): { after: TreeNode; done: Operation[] } {
  const after = cloneTree(base);
  const done = operations.filter((operation) => {
    const log = new UndoLog();
    try {
      applyOperation(after, operation, log);
      return true;
    } catch {
      log.rollback();
      return false;
    }
  });
  return { after, done };
}

function undoOf(base: TreeNode, operations: readonly Operation[]): Undo {
  const undo = new Undo(base, "");
  undo.begin(operations);
  undo.done();
  return undo;
}

describe("undoing written changes", () => {
  it("restores every tree, including its order", () => {
    fc.assert(
      fc.property(someTree, fc.array(someOperation, { maxLength: 8 }), (base, operations) => {
        const { after, done } = carryOut(base, operations);
        const inverses = undoOf(base, done).inverses(after, shape);
        expect(inverses).toBeDefined();
        for (const inverse of inverses ?? []) applyOperation(after, inverse, new UndoLog());
        expect(equalNodes(after, base, shape)).toBe(true);
      }),
      { numRuns: 500 },
    );
  });

  it("changes nothing once another administrator changed the written nodes", () => {
    const base = tree([address("a", "1.1.1.1", [])], []);
    const { after, done } = carryOut(base, [{ action: "set", at: addresses, element: address("b", "2.2.2.2", []) }]);
    applyOperation(after, { action: "set", at: addresses.entry("b"), element: leaf("ip-netmask", "9.9.9.9") }, new UndoLog());
    expect(undoOf(base, done).inverses(after, shape)).toBeUndefined();
  });

  it("does not touch changes of others elsewhere", () => {
    const base = tree([address("a", "1.1.1.1", [])], []);
    const { after, done } = carryOut(base, [{ action: "set", at: addresses, element: address("b", "2.2.2.2", []) }]);
    applyOperation(after, { action: "set", at: addresses, element: address("c", "9.9.9.9", []) }, new UndoLog());
    for (const inverse of undoOf(base, done).inverses(after, shape) ?? []) applyOperation(after, inverse, new UndoLog());
    expect(find(after, addresses)?.children.map((child) => child.name)).toEqual(["a", "c"]);
  });

  it("determines whether a batch without a reply was executed", () => {
    const base = tree([], []);
    const batch: Operation[] = [{ action: "set", at: addresses, element: address("b", "2.2.2.2", []) }];
    for (const executed of [true, false]) {
      const { after } = carryOut(base, executed ? batch : []);
      const undo = new Undo(base, "");
      undo.begin(batch);
      undo.settle(after, shape);
      expect(undo.inverses(after, shape)?.length).toBe(executed ? 1 : 0);
    }
  });

  it("does not guess if a batch without a reply was partly executed", () => {
    const base = tree([], []);
    const batch: Operation[] = ["b", "c"].map((name) => ({ action: "set", at: addresses, element: address(name, "2.2.2.2", []) }));
    const { after } = carryOut(base, batch.slice(0, 1));
    const undo = new Undo(base, "");
    undo.begin(batch);
    undo.settle(after, shape);
    expect(undo.inverses(after, shape)).toBeUndefined();
  });

  it("deletes the topmost node that a set had to create", () => {
    const bare = new TreeNode("config");
    const made = inverseOf({ action: "set", at: addresses, element: address("a", "1.1.1.1", []) }, bare);
    expect(made).toEqual([{ action: "delete", at: addresses }]);
  });
});

describe("paths that operations touch", () => {
  it("cover every node that they change", () => {
    fc.assert(
      fc.property(someTree, fc.array(someOperation, { maxLength: 6 }), (base, operations) => {
        const { after, done } = carryOut(base, operations);
        const { units } = touchedBy(done);
        if (equalNodes(base, after, shape)) return;
        expect(differingUnit(base, after, units, shape)).toBeDefined();
      }),
    );
  });

  it("read few entries one by one and many as their list", () => {
    const sets = (count: number): Operation[] =>
      Array.from({ length: count }, (_, i) => ({ action: "set", at: addresses, element: address(`n${i}`, "1.1.1.1", []) }));
    expect(touchedBy(sets(2)).reads.map(String)).toEqual(["/config/address/entry[@name='n0']", "/config/address/entry[@name='n1']"]);
    expect(touchedBy(sets(20)).reads.map(String)).toEqual(["/config/address"]);
    expect(touchedBy([...sets(2), { action: "edit", at: addresses, element: new TreeNode("address") }]).reads.map(String)).toEqual([
      "/config/address",
    ]);
  });
});
