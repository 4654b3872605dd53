import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { canonicalText } from "../../src/core/tree/canonical.js";
import { UndoLog } from "../../src/core/tree/edit/edit-tree.js";
import { insertChild } from "../../src/core/tree/edit/primitives.js";
import { find } from "../../src/core/tree/lookup.js";
import { TreeNode } from "../../src/core/tree/node.js";
import { parsePath } from "../../src/core/tree/xpath/xpath.js";
import type { DesiredNode } from "../../src/desired/model.js";
import { unshared } from "../../src/engine/apply/fences.js";
import { chooseFragments } from "../../src/plan/cost/choose-fragments.js";
import { operationWeight } from "../../src/plan/cost/operation-weight.js";
import { applyIgnores, diff } from "../../src/plan/diff/diff.js";
import type { Fragment } from "../../src/plan/fragment.js";
import { MemoryTarget } from "../../src/targets/memory/target.js";
import { shape } from "../plan/diff/trees.js";
import { cheapest, weightOf } from "./dijkstra.js";
import { type Pair, pair } from "./generators.js";
import { merged } from "./merged.js";
import { legalWrites } from "./writes.js";

const runs = { numRuns: process.env.PLUMBLINE_SOAK === undefined ? 300 : 20_000 };
const secretState = (): "unknown" => "unknown";

function wantedOf({ desired, live, ignored }: Pair): DesiredNode {
  const ignores = ignored === undefined ? [] : [{ path: ignored, owner: "o", reason: "r", until: undefined, origin: -1 }];
  return applyIgnores(desired, live, ignores);
}

interface Chosen {
  readonly desired: DesiredNode;
  readonly fragments: readonly Fragment[];
}

function choose(trees: Pair, rewriteLists: boolean, atomicBatch: boolean): Chosen {
  const desired = wantedOf(trees);
  const { live } = trees;
  const difference = diff({ desired, live, shape, secretState });
  fc.pre(!difference.findings.some((finding) => finding.refuses));
  const rewrite = rewriteLists ? "allowed" : "never";
  return {
    desired,
    fragments: chooseFragments({ diff: difference, desired, live, shape, rewriteLists: rewrite, atomicBatch, rename: true }),
  };
}

describe("the choice of writes", () => {
  it("weighs what the cheapest of all legal sequences weighs", () => {
    fc.assert(
      fc.property(pair, fc.boolean(), fc.boolean(), (trees, rewriteLists, atomicBatch) => {
        const { desired, fragments } = choose(trees, rewriteLists, atomicBatch);
        const perOperation = operationWeight(atomicBatch);
        const planned = fragments.reduce((sum, { operation }) => sum + weightOf(operation, perOperation), 0);
        const goal = merged(desired, trees.live, shape);
        const least = cheapest(trees.live, goal, shape, perOperation, (state) => legalWrites(desired, state, shape, { rewriteLists }));
        expect(planned).toBe(least);
      }),
      runs,
    );
  });

  it("makes of live what live merged with the owned desired state is, and leaves nothing to do", async () => {
    await fc.assert(
      fc.asyncProperty(pair, fc.boolean(), async (trees, rewriteLists) => {
        const { desired, fragments } = choose(trees, rewriteLists, true);
        const target = new MemoryTarget({ name: "m", shape, tree: trees.live });
        await target.writer.behind(unshared).write(fragments.map((fragment) => fragment.operation));
        const after = target.configurations.candidate;
        expect(canonicalText(after, shape)).toBe(canonicalText(merged(desired, trees.live, shape), shape));
        expect(diff({ desired, live: after, shape, secretState }).changes).toEqual([]);
      }),
      runs,
    );
  });

  it("settles every change", () => {
    fc.assert(
      fc.property(pair, fc.boolean(), (trees, rewriteLists) => {
        const { desired, fragments } = choose(trees, rewriteLists, true);
        const { changes } = diff({ desired, live: trees.live, shape, secretState });
        expect([...new Set(fragments.flatMap((fragment) => fragment.changes))].sort((a, b) => a - b)).toEqual([...changes.keys()]);
      }),
      runs,
    );
  });

  it("wipes nothing that a second writer adds to a list that is not exclusive", async () => {
    await fc.assert(
      fc.asyncProperty(pair, fc.constantFrom("address", "group", "mesh", "users"), async (trees, tag) => {
        const { desired, fragments } = choose(trees, true, true);
        const list = find(desired, parsePath(`/config/vsys/entry[@name='v']/${tag}`));
        fc.pre(list?.prunes !== true);
        const path = parsePath(`/config/vsys/entry[@name='v']/${tag}/entry[@name='second']`);
        const beforeWrite = (target: MemoryTarget): void => {
          const vsys = find(target.configurations.candidate, parsePath("/config/vsys/entry[@name='v']")) as TreeNode;
          const known = vsys.children.find((child) => child.tag === tag) ?? new TreeNode(tag);
          if (!vsys.children.includes(known)) insertChild(vsys, known, vsys.children.length, new UndoLog());
          insertChild(known, new TreeNode("entry", "second"), known.children.length, new UndoLog());
        };
        const target = new MemoryTarget({ name: "m", shape, tree: trees.live, beforeWrite });
        await target.writer.behind(unshared).write(fragments.map((fragment) => fragment.operation));
        expect(find(target.configurations.candidate, path)).toBeDefined();
      }),
      runs,
    );
  });
});
