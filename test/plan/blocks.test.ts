import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { find } from "../../src/core/tree/lookup.js";
import type { TreeNode } from "../../src/core/tree/node.js";
import { parsePath } from "../../src/core/tree/xpath/xpath.js";
import { DesiredNode, type Handling, type Position } from "../../src/desired/model.js";
import { planGuards } from "../../src/guards/registry.js";
import { arrangeBlocks, type Block, declaredBlocks } from "../../src/plan/blocks.js";
import { makePlan } from "../../src/plan/make-plan.js";
import type { PlanInput } from "../../src/plan/model.js";
import { minimalMoves } from "../../src/plan/moves.js";
import { desired, planInput, tree } from "./support/planned.js";
import { applyAll } from "./support/platform.js";

const top: Position = { where: "top" };
const bottom: Position = { where: "bottom" };
const above = (anchor: string): Position => ({ where: "before", anchor });
const below = (anchor: string): Position => ({ where: "after", anchor });

const block = (position: Position, ...declared: string[]): Block => ({ declared, position, origin: -1 });

function orderOf(live: readonly string[], ...blocks: Block[]): readonly string[] {
  const arranged = arrangeBlocks(live, blocks);
  if (!("order" in arranged)) throw new Error(JSON.stringify(arranged));
  return arranged.order;
}

function list(...entries: readonly (readonly [name: string, handling?: Handling])[]): DesiredNode {
  const facts = { origin: 7, prunes: false, declared: true };
  const children = entries.map(
    ([name, handling], origin) => new DesiredNode("entry", name, "", [], { origin, prunes: true, declared: true, handling }),
  );
  return new DesiredNode("rules", undefined, "", children, facts);
}

const split = (...entries: readonly (readonly [name: string, handling?: Handling])[]): (readonly string[])[] =>
  declaredBlocks(list(...entries)).map((each) => each.declared);

describe("declaredBlocks", () => {
  it("is one block, placed by the list, if one document declares it", () => {
    const one = list(["a"], ["b"]);
    one.handling = { position: top, contiguous: true };
    expect(declaredBlocks(one)).toEqual([{ declared: ["a", "b"], position: top, contiguous: true, origin: 7 }]);
  });

  it("starts a block at each entry with a position", () => {
    const two = list(["a", { position: top }], ["b"], ["c", { position: below("x"), contiguous: true }], ["d"]);
    expect(declaredBlocks(two)).toEqual([
      { declared: ["a", "b"], position: top, contiguous: false, origin: 0 },
      { declared: ["c", "d"], position: below("x"), contiguous: true, origin: 2 },
    ]);
  });

  it("counts a block next to a declared entry to the block of that entry", () => {
    expect(split(["a", { position: top }], ["n", { position: below("a") }], ["b"])).toEqual([["a", "n", "b"]]);
    expect(split(["a", { position: top }], ["n", { position: above("b") }], ["b"])).toEqual([["a", "n", "b"]]);
    expect(split(["t", { position: top }], ["n", { position: above("a") }], ["a", { position: bottom }])).toEqual([["t"], ["n", "a"]]);
    expect(split(["m", { position: above("n") }], ["n", { position: above("a") }], ["a", { position: top }])).toEqual([["m", "n", "a"]]);
  });

  it("keeps a block's position if its first entry is ignored or cannot be placed", () => {
    const ignored = list(["a", { position: top, ignored: true }], ["b"], ["c", { position: bottom }]);
    expect(declaredBlocks(ignored).map(({ declared, position }) => [declared, position])).toEqual([
      [["b"], top],
      [["c"], bottom],
    ]);
    const some = list(["a", { position: top }], ["b"], ["c", { position: bottom }]);
    expect(declaredBlocks(some, new Set(["b"])).map(({ declared }) => declared)).toEqual([["b"]]);
  });
});

describe("arrangeBlocks", () => {
  it("places each new block at its own position", () => {
    const order = orderOf(["x", "y", "z"], block(top, "t1", "t2"), block(bottom, "b1"), block(above("y"), "m"), block(below("y"), "n"));
    expect(order).toEqual(["t1", "t2", "x", "m", "y", "n", "z", "b1"]);
  });

  it("does not depend on the order in which documents were read", () => {
    const blocks = [block(below("x"), "m"), block(above("y"), "n"), block(top, "t"), block(bottom, "b")];
    const order = orderOf(["x", "y"], ...blocks);
    expect(order).toEqual(["t", "x", "m", "n", "y", "b"]);
    expect(orderOf(["x", "y"], ...[...blocks].reverse())).toEqual(order);
  });

  it("leaves blocks that are in a valid position", () => {
    const live = ["t", "x", "n1", "y", "n2", "b"];
    expect(orderOf(live, block(top, "t"), block(bottom, "b"), block(below("x"), "n1", "n2"))).toEqual(live);
  });

  it("moves the top block above the bottom block with the fewest moves, also without unmanaged entries", () => {
    const upper = block(top, "t1", "t2");
    const lower = block(bottom, "deny-some", "deny-all");
    expect(orderOf(["t1", "deny-some", "t2", "deny-all"], upper, lower)).toEqual(["t1", "t2", "deny-some", "deny-all"]);
    const live = ["deny-some", "t1", "t2", "x", "deny-all"];
    const order = orderOf(live, upper, lower);
    expect(minimalMoves(live, order, new Set(["x"]))).toHaveLength(1);
  });

  it("gathers a contiguous block and leaves the others", () => {
    const order = orderOf(
      ["a1", "x", "a2", "c1", "y", "c2"],
      { ...block(above("y"), "a1", "a2"), contiguous: true },
      block(below("x"), "c1", "c2"),
    );
    expect(order).toEqual(["x", "c1", "a1", "a2", "y", "c2"]);
  });

  it("names every block with a missing anchor", () => {
    const arranged = arrangeBlocks(["x"], [block(below("gone"), "a"), block(above("lost"), "b"), block(top, "t")]);
    expect("problems" in arranged && arranged.problems.map(({ block: { declared }, ...problem }) => [declared[0], problem])).toEqual([
      ["a", { problem: "anchor-missing", anchor: "gone" }],
      ["b", { problem: "anchor-missing", anchor: "lost" }],
    ]);
  });
});

const RULES = "/config/vsys/entry[@name='v1']/rules";
const POSITIONS = [top, bottom, above("x0"), below("x1")] as const;
const OURS = ["a", "b", "c", "d", "e", "f"];

const rules = (names: readonly string[]): string =>
  `<config><vsys><entry name="v1"><rules>${names.map((name) => `<entry name="${name}"><action>allow</action></entry>`).join("")}</rules></entry></vsys></config>`;

function inputOf(live: readonly string[], blocks: readonly (readonly string[])[], positions: readonly Position[]): PlanInput {
  const wanted = desired(rules(blocks.flat()));
  const list = find(wanted.root, parsePath(RULES)) as DesiredNode;
  for (const [at, names] of blocks.entries())
    for (const child of list.children) if (child.name === names[0]) child.handling = { position: positions[at] ?? top };
  return planInput(tree(rules(live)), wanted);
}

const namesOf = (root: TreeNode): string[] => (find(root, parsePath(RULES))?.children ?? []).map((child) => child.name ?? "");

/** Tries every choice of entries that keep their place. */
function fewestMoves(live: readonly string[], blocks: readonly (readonly string[])[], used: readonly number[]): number {
  const ours = blocks.flat();
  const mayStay = (staying: ReadonlySet<string>): boolean => {
    const order = live.filter((name) => staying.has(name) || !ours.includes(name));
    const [upper, lower] = [0, 1].map((home) =>
      (blocks[used.indexOf(home)] ?? []).filter((name) => staying.has(name)).map((name) => order.indexOf(name)),
    );
    if (Math.max(-1, ...(upper ?? [])) > Math.min(order.length, ...(lower ?? []))) return false;
    return blocks.every((names, index) => {
      const places = names.filter((name) => staying.has(name)).map((name) => order.indexOf(name));
      if (places.some((place, at) => at > 0 && place < (places[at - 1] ?? 0))) return false;
      if (used[index] === 0) return !staying.has(names[0] ?? "") || order[0] === names[0];
      if (used[index] === 1) return !staying.has(names.at(-1) ?? "") || order.at(-1) === names.at(-1);
      return places.every((place) => (used[index] === 2 ? place < order.indexOf("x0") : place > order.indexOf("x1")));
    });
  };
  let most = 0;
  for (let choice = 0; choice < 1 << ours.length; choice += 1) {
    const staying = new Set(ours.filter((_, at) => (choice >> at) % 2 === 1));
    if (staying.size > most && mayStay(staying)) most = staying.size;
  }
  return ours.length - most;
}

describe("a plan of several blocks", () => {
  it("has the fewest moves, keeps blocks in order and in place, and leaves no difference", () => {
    fc.assert(
      fc.property(
        fc.shuffledSubarray([...OURS, "x2"]),
        fc.array(fc.nat(9), { minLength: 2, maxLength: 2 }),
        fc.array(fc.nat(3), { minLength: OURS.length, maxLength: OURS.length }),
        fc.shuffledSubarray([0, 1, 2, 3], { minLength: 2 }),
        (names, anchors, homes, chosen) => {
          const live = [...names];
          live.splice(anchors[0] ?? 0, 0, "x0");
          live.splice(anchors[1] ?? 0, 0, "x1");
          const used = chosen.filter((home) => homes.includes(home));
          const blocks = used.map((home) => OURS.filter((_, at) => homes[at] === home));
          const positions = used.map((home) => POSITIONS[home] ?? top);
          const declared = new Set(blocks.flat());
          const homesOf = (name: string): number | undefined => (declared.has(name) ? homes[OURS.indexOf(name)] : undefined);
          const blockOf = (home: number): readonly string[] => blocks[used.indexOf(home)] ?? [];
          const input = inputOf(live, blocks, positions);
          const plan = makePlan(input, planGuards);
          expect(plan.refusals).toEqual([]);
          const end = applyAll(
            input.candidate,
            plan.operations.map(({ operation }) => operation),
            () => undefined,
          );
          const order = namesOf(end);
          const at = (name: string | undefined): number => order.indexOf(name ?? "");
          expect(order.filter((name) => !declared.has(name))).toEqual(live.filter((name) => !declared.has(name)));
          for (const [index, names] of blocks.entries()) {
            expect(order.filter((name) => names.includes(name))).toEqual(names);
            const where = used[index];
            if (where === 0) expect(at(names[0])).toBe(0);
            if (where === 1) expect(at(names.at(-1))).toBe(order.length - 1);
            if (where === 2) expect(at(names.at(-1))).toBeLessThan(at("x0"));
            if (where === 3) expect(at(names[0])).toBeGreaterThan(at("x1"));
          }
          const again = makePlan({ ...input, candidate: end }, planGuards);
          expect([again.operations, again.changes]).toEqual([[], []]);
          if (used.includes(0) && used.includes(1))
            expect(order.filter((name) => homesOf(name) === 0 || homesOf(name) === 1)).toEqual([...blockOf(0), ...blockOf(1)]);
          const moves = plan.operations.filter(({ operation }) => operation.action === "move").length;
          if (blocks.flat().every((name) => live.includes(name))) expect(moves).toBe(fewestMoves(live, blocks, used));
          const told = plan.changes.find((change) => change.kind === "order");
          if (plan.changes.every((change) => change.kind === "order")) expect(told?.kind === "order" ? told.moved.length : 0).toBe(moves);
        },
      ),
    );
  });
});
