import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { TreeNode } from "../../../../src/core/tree/node.js";
import { parseXml } from "../../../../src/core/tree/xml/parse.js";
import { parseXPath } from "../../../../src/core/tree/xpath/xpath.js";
import { type Chain, ConfigTree, last } from "../../../../src/lab/panos/tree/config-tree.js";
import { locate } from "../../../../src/lab/panos/tree/locate.js";
import { toXml } from "../../../../src/lab/panos/tree/serialise.js";

const START = `<config>${["a", "b"].map((tag) => `<${tag}>${Array.from({ length: 15 }, (_, index) => `<entry name="${tag}${index}"><v>1</v></entry>`).join("")}</${tag}>`).join("")}</config>`;

type Step = {
  readonly kind: "insert" | "remove" | "replace" | "reorder" | "mark";
  readonly list: number;
  readonly at: number;
  readonly to: number;
};

const step: fc.Arbitrary<Step> = fc.record({
  kind: fc.constantFrom("insert", "remove", "replace", "reorder", "mark"),
  list: fc.nat(1),
  at: fc.nat(40),
  to: fc.nat(40),
});

function perform(tree: ConfigTree, { kind, list, at, to }: Step, counter: number): void {
  const parents: Chain = [tree.root, tree.root.children[list] as TreeNode];
  const { children } = last(parents);
  const node = children[at % Math.max(children.length, 1)];
  if (kind === "insert" || node === undefined) {
    tree.insert(parents, new TreeNode("entry", `new${counter}`), to % (children.length + 1));
  } else if (kind === "remove") tree.remove([...parents, node]);
  else if (kind === "replace") tree.replace([...parents, node], new TreeNode("entry", `other${counter}`));
  else if (kind === "reorder") tree.reorder([...parents, node], to % children.length);
  else tree.setAttributes([...parents, node], new Map([["admin", `a${counter}`]]));
}

/** The same on plain text of names, the slow and simple way. */
function names(tree: ConfigTree, list: number): string[] {
  return (tree.root.children[list] as TreeNode).children.map((child) => child.name ?? "");
}

describe("ConfigTree", () => {
  it("does not change frozen trees, and finds nodes by name", () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), fc.array(fc.nat(59), { maxLength: 5 }), (steps, freezes) => {
        const tree = new ConfigTree(parseXml(START));
        const frozen: [TreeNode, string][] = [];
        steps.forEach((each, index) => {
          if (freezes.includes(index)) frozen.push([tree.freeze(), toXml(tree.root, { marks: true })]);
          perform(tree, each, index);
          for (const list of [0, 1]) {
            const [name] = names(tree, list);
            const found = locate(tree.root, parseXPath(`/config/*/entry[@name='${name}']`));
            if (name !== undefined) expect(found.map((chain) => last(chain).name)).toEqual([name]);
          }
        });
        for (const [root, before] of frozen) expect(toXml(root, { marks: true })).toBe(before);
      }),
      { numRuns: 100 },
    );
  });

  it("restores everything when a transaction fails", () => {
    fc.assert(
      fc.property(
        fc.array(step, { maxLength: 20 }),
        fc.array(step, { minLength: 1, maxLength: 30 }),
        fc.boolean(),
        (first, second, freeze) => {
          const tree = new ConfigTree(parseXml(START));
          for (const [index, each] of first.entries()) perform(tree, each, index);
          if (freeze) tree.freeze();
          const before = toXml(tree.root, { marks: true });
          const failing = (): void =>
            tree.transaction(() => {
              for (const [index, each] of second.entries()) perform(tree, each, 100 + index);
              throw new Error("refused");
            });
          expect(failing).toThrow("refused");
          expect(toXml(tree.root, { marks: true })).toBe(before);
          for (const list of [0, 1]) {
            for (const name of names(tree, list)) expect(locate(tree.root, parseXPath(`/config/*/entry[@name='${name}']`))).toHaveLength(1);
          }
        },
      ),
      { numRuns: 100 },
    );
  });

  it("follows a chain that was created before the node was copied", () => {
    const tree = new ConfigTree(parseXml(START));
    const [chain] = locate(tree.root, parseXPath("/config/a/entry[@name='a3']"));
    if (chain === undefined) throw new Error("a3 is there");
    tree.setAttributes(chain, new Map([["admin", "x"]]));
    tree.insert(chain, new TreeNode("w", undefined, "2"));
    expect(toXml(last(locate(tree.root, parseXPath("/config/a/entry[@name='a3']"))[0] as Chain), { marks: true })).toBe(
      '<entry name="a3" admin="x"><v>1</v><w>2</w></entry>',
    );
  });

  it("notifies its observer of additions, deletions, and rollbacks", () => {
    const tree = new ConfigTree(parseXml(START));
    const count = new Map<string, number>();
    const add = (node: TreeNode, step: number): void => void count.set(node.name ?? "", (count.get(node.name ?? "") ?? 0) + step);
    tree.observer = { added: (_, node) => add(node, 1), removed: (_, node) => add(node, -1) };
    const parents = [tree.root, tree.root.children[0] as TreeNode];
    tree.insert(parents, new TreeNode("entry", "kept"));
    expect(() =>
      tree.transaction(() => {
        tree.insert(parents, new TreeNode("entry", "lost"));
        throw new Error("refused");
      }),
    ).toThrow();
    expect([...count]).toEqual([
      ["kept", 1],
      ["lost", 0],
    ]);
  });
});

it("continues with the current state after the first transaction on a frozen tree has failed", () => {
  const tree = new ConfigTree(parseXml(START));
  tree.freeze();
  const failing = (): never => {
    tree.remove([tree.root, tree.root.children[0] as TreeNode, (tree.root.children[0] as TreeNode).children[0] as TreeNode]);
    throw new Error("refused");
  };
  expect(() => tree.transaction(failing)).toThrow("refused");
  expect(toXml(tree.root)).toBe(toXml(parseXml(START)));
  tree.insert([tree.root, tree.root.children[0] as TreeNode], new TreeNode("entry", "later"));
  expect(names(tree, 0)).toContain("later");
});
