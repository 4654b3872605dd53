import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { canonicalText } from "../../src/core/tree/canonical.js";
import { TreeNode } from "../../src/core/tree/node.js";
import type { Shape } from "../../src/core/tree/shape.js";
import { planGuards } from "../../src/guards/registry.js";
import { makePlan } from "../../src/plan/make-plan.js";
import type { Refusal } from "../../src/plan/model.js";
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

const kindOf = (object: object | undefined): string => (object === undefined ? "none" : "ip" in object ? "address" : "group");

/** Names that one object gives up and another takes, in another scope or of another kind. */
function handedOver(from: World, to: World): Set<string> {
  const changes = (name: string): boolean =>
    from.shared.has(name) !== to.shared.has(name) || kindOf(from.objects.get(name)) !== kindOf(to.objects.get(name));
  return new Set([...from.objects.keys()].filter((name) => to.objects.has(name) && changes(name)));
}

/** A configuration in which every existing name is also in the other scope, where most orders are refused. */
function elsewhere(from: World, to: World): World {
  const names = [...to.objects.keys()];
  return { ...to, shared: new Set(names.filter((name) => (from.objects.has(name) ? !from.shared.has(name) : to.shared.has(name)))) };
}

/** An undeclared object refers to an object that is replaced by one of another kind. */
function othersNameChanged(from: World, to: World): boolean {
  const changed = [...from.objects].filter(
    ([name, made]) => to.objects.has(name) && "ip" in made !== "ip" in (to.objects.get(name) ?? made),
  );
  const declared = new Set(to.rules.map(({ name }) => name));
  const groups = [...from.objects].flatMap(([name, made]) => ("ip" in made || to.objects.has(name) ? [] : made.members));
  const rules = from.rules.flatMap((rule) => (declared.has(rule.name) ? [] : [...rule.source, ...rule.destination]));
  return changed.some(([name]) => groups.includes(name) || rules.includes(name));
}

/** The first of two commits: the object that will take over a name has another one. */
function calledOtherwise(to: World, names: ReadonlySet<string>): World {
  const other = (name: string): string => (names.has(name) ? `${name}-2` : name);
  return {
    ...to,
    objects: new Map([...to.objects].map(([name, made]) => [other(name), "ip" in made ? made : { members: made.members.map(other) }])),
    shared: new Set([...to.shared].map(other)),
    rules: to.rules.map((rule) => ({ ...rule, source: rule.source.map(other), destination: rule.destination.map(other) })),
  };
}

const capabilities = fc.record({
  rewriteLists: fc.constantFrom("never" as const, "allowed" as const),
  atomicBatch: fc.boolean(),
  move: fc.boolean(),
});

describe("a plan from any configuration to any other", () => {
  it("is valid after every operation, reaches the desired state, and leaves no difference", () => {
    fc.assert(
      fc.property(worlds, worlds, fc.subarray(LISTS), capabilities, (from, to, closedLists, { rewriteLists, ...can }) => {
        const live = tree(worldXml(from, new Set()));
        const wantedXml = worldXml(to, new Set(closedLists));
        const expected = merged(live, tree(wantedXml), smallShape);
        fc.pre(complaints(expected, smallShape).length === 0);
        const input = planInput(live, desired(wantedXml), { rewriteLists });
        const more = { ...input, capabilities: { ...input.capabilities, ...can } };
        const plan = makePlan(more, planGuards);
        const isDue = ({ guard, message }: Refusal): boolean => {
          if (guard === "referrers" && message.startsWith("A used name changes its kind")) return othersNameChanged(from, to);
          if (guard !== "order") return guard === "no-place";
          return message.startsWith("No order of the changes") ? handedOver(from, to).size > 0 : !can.move;
        };
        expect(plan.refusals.filter((refusal) => !isDue(refusal)).map(({ guard, message }) => `${guard}: ${message}`)).toEqual([]);
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
        expect(makePlan({ ...more, candidate: after }, planGuards).operations).toEqual([]);
        expect(makePlan(more, planGuards).digest).toBe(plan.digest);
      }),
      { numRuns: process.env.PLUMBLINE_SOAK === undefined ? 400 : 20_000 },
    );
  });

  it("works in two commits if one is refused for its order", () => {
    let refused = 0;
    fc.assert(
      fc.property(worlds, worlds, fc.subarray(LISTS), (from, rest, closedLists) => {
        const to = elsewhere(from, rest);
        const live = tree(worldXml(from, new Set()));
        const isWell = (world: World): boolean =>
          complaints(merged(live, tree(worldXml(world, new Set(closedLists))), smallShape), smallShape).length === 0;
        const planTo = (candidate: TreeNode, world: World) =>
          makePlan(planInput(candidate, desired(worldXml(world, new Set(closedLists)))), planGuards);
        const plan = planTo(live, to);
        fc.pre(plan.refusals.length > 0 && plan.refusals.every(({ guard }) => guard === "order"));
        fc.pre(isWell(to));
        refused += 1;
        const names = handedOver(from, to);
        for (const { message } of plan.refusals) expect([...names].some((name) => message.includes(`"${name}" from`))).toBe(true);
        const step = calledOtherwise(to, names);
        fc.pre(isWell(step));
        const first = planTo(live, step);
        expect(first.refusals.filter(({ guard }) => guard !== "referrers")).toEqual([]);
        fc.pre(first.refusals.length === 0);
        const between = applyAll(
          live,
          first.operations.map(({ operation }) => operation),
          (step) => expectWell(step, smallShape),
        );
        const second = planTo(between, to);
        expect(second.refusals).toEqual([]);
        applyAll(
          between,
          second.operations.map(({ operation }) => operation),
          (step) => expectWell(step, smallShape),
        );
      }),
      { seed: 1, numRuns: 3, maxSkipsPerRun: 1_000 },
    );
    expect(refused).toBeGreaterThan(1);
  }, 60_000);
});
