import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { makePlan } from "../../src/plan.js";
import { canonicalText } from "../../src/tree/canonical.js";
import { TreeNode } from "../../src/tree/node.js";
import type { Shape } from "../../src/tree/shape.js";
import { type World, worlds, worldXml } from "./support/generate.js";
import { desired, planInput, tree } from "./support/planned.js";
import { applyAll, complaints, expectWell } from "./support/platform.js";
import { smallShape } from "./support/shape.js";

const LISTS = ["address", "group", "rules", "units", "router"];

/** Live merged with the owned desired, made in the plainest way: declared entries as declared, others as live unless the list is closed. */
function merged(live: TreeNode | undefined, wanted: TreeNode | undefined, shape: Shape): TreeNode {
  if (wanted === undefined) return live as TreeNode;
  if (live === undefined || (wanted.name !== undefined && !shape.structural) || shape.kind === "leaf") return wanted;
  const same = (a: TreeNode, b: TreeNode): boolean => a.tag === b.tag && a.name === b.name;
  const isClosed = wanted.attributes?.get("closed") === "yes";
  const declared = wanted.children.map((child) =>
    merged(
      live.children.find((other) => same(other, child)),
      child,
      shape.child(child.tag),
    ),
  );
  const others = isClosed ? [] : live.children.filter((child) => !wanted.children.some((other) => same(other, child)));
  return new TreeNode(wanted.tag, wanted.name, wanted.text, [...declared, ...others]);
}

/** The tree as a set: order of rules is judged apart. */
function content(node: TreeNode): string {
  const sort = (at: TreeNode): TreeNode =>
    new TreeNode(
      at.tag,
      at.name,
      at.text,
      [...at.children].map(sort).sort((a, b) => (canonicalText(a, smallShape) < canonicalText(b, smallShape) ? -1 : 1)),
    );
  return canonicalText(sort(node), smallShape);
}

function ruleNames(root: TreeNode): string[] {
  const vsys = root.children.find((child) => child.tag === "vsys")?.children[0];
  return (vsys?.children.find((child) => child.tag === "rules")?.children ?? []).map((child) => child.name ?? "");
}

/**
 * A name that moves between shared and vsys, and becomes a group or ceases to be one on the way, can hide what another
 * group is to name until the very end. Such a plan may be refused as a whole; it never makes a group contain itself.
 */
function changesScope(from: World, to: World): boolean {
  return [...from.objects.keys()].some((name) => to.objects.has(name) && from.shared.has(name) !== to.shared.has(name));
}

const capabilities = fc.record({
  rewriteLists: fc.constantFrom("never" as const, "allowed" as const),
  atomicBatch: fc.boolean(),
  move: fc.boolean(),
});

describe("a plan from any configuration to any other", () => {
  it("is well after every operation, ends where it should, and leaves nothing to do", () => {
    fc.assert(
      fc.property(worlds, worlds, fc.subarray(LISTS), capabilities, (from, to, closedLists, { rewriteLists, ...can }) => {
        const live = tree(worldXml(from, new Set()));
        const wantedXml = worldXml(to, new Set(closedLists));
        const expected = merged(live, tree(wantedXml), smallShape);
        fc.pre(complaints(expected, smallShape).length === 0);
        const input = planInput(live, desired(wantedXml), { rewriteLists });
        const more = { ...input, capabilities: { ...input.capabilities, ...can } };
        const plan = makePlan(more);
        const allowed = changesScope(from, to) || !can.move ? ["no-place", "order"] : ["no-place"];
        const refusals = plan.refusals.filter(({ guard }) => !allowed.includes(guard));
        expect(refusals.map(({ guard, message }) => `${guard}: ${message}`)).toEqual([]);
        fc.pre(plan.refusals.length === 0);
        if (!can.move) expect(plan.operations.filter(({ operation }) => operation.action === "move")).toEqual([]);
        const after = applyAll(
          live,
          plan.operations.map(({ operation }) => operation),
          (step) => expectWell(step, smallShape),
        );
        expect(content(after)).toBe(content(expected));
        const names = ruleNames(after);
        const declared = to.rules.map(({ name }) => name);
        expect(names.filter((name) => declared.includes(name))).toEqual(declared);
        const foreign = (list: readonly string[]): string[] => list.filter((name) => !declared.includes(name));
        if (!closedLists.includes("rules")) expect(foreign(names)).toEqual(foreign(ruleNames(live)));
        expect(makePlan({ ...more, candidate: after }).operations).toEqual([]);
        expect(makePlan(more).digest).toBe(plan.digest);
      }),
      { numRuns: process.env.PLUMBLINE_SOAK === undefined ? 400 : 20_000 },
    );
  });
});
