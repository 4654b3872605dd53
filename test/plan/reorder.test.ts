import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Operation } from "../../src/core/operation.js";
import type { TreeNode } from "../../src/core/tree/node.js";
import { planGuards } from "../../src/guards/registry.js";
import { makePlan } from "../../src/plan/make-plan.js";
import type { PlanInput } from "../../src/plan/model.js";
import { desired, firewallCapabilities, planInput, tree } from "./support/planned.js";
import { applyAll, expectWell } from "./support/platform.js";
import { smallShape } from "./support/shape.js";

const CALLS_OF_THE_SPECIFICATION = { ...firewallCapabilities, move: false, rename: false, atomicBatch: false };

const rule = (name: string, action = "allow"): string =>
  `<entry name="${name}"><source><member>any</member></source><destination><member>any</member></destination><action>${action}</action></entry>`;
const rules = (entries: readonly string[], attribute = ""): string =>
  `<config><vsys><entry name="v1"><rules${attribute}>${entries.join("")}</rules></entry></vsys></config>`;
const closed = (entries: readonly string[]): string => rules(entries, ' closed="yes"');

function namesOf(root: TreeNode): string[] {
  return (root.children[0]?.children[0]?.children[0]?.children ?? []).map((child) => child.name ?? "");
}

function planned(liveXml: string, wantedXml: string, more: Partial<PlanInput> = {}) {
  const live = tree(liveXml);
  const input = planInput(live, desired(wantedXml), { capabilities: CALLS_OF_THE_SPECIFICATION, ...more });
  const plan = makePlan(input, planGuards);
  const operations = plan.operations.map(({ operation }) => operation);
  const after = plan.refusals.length > 0 ? undefined : applyAll(live, operations, (step) => expectWell(step, smallShape));
  if (after !== undefined) expect(makePlan({ ...input, candidate: after }, planGuards).operations).toEqual([]);
  return { plan, operations, after };
}

const actions = (operations: readonly Operation[]): string[] => operations.map(({ action }) => action);
const many = (names: string): string[] => [...names].map((name) => rule(name));

describe("order on a platform without moves", () => {
  it("keeps the ordered prefix and recreates the rest in one set", () => {
    const { plan, operations, after } = planned(rules(many("abcde")), closed(many("abedc")));
    expect(namesOf(after as TreeNode)).toEqual([..."abedc"]);
    expect(actions(operations)).toEqual(["delete", "delete", "set"]);
    const lost = plan.findings.filter(({ kind }) => kind === "made-again").map(({ path }) => path.name);
    expect(lost).toEqual(["d", "c"]);
  });

  it("reports the loss of uuid and hit count", () => {
    const { plan } = planned(rules(many("ab")), closed(many("ba")));
    expect(plan.findings.map(({ message }) => message).join()).toContain("uuid and hit count");
  });

  it("appends new entries that belong at the end", () => {
    const { operations } = planned(rules(many("ab")), closed(many("abc")));
    expect(actions(operations)).toEqual(["set"]);
  });

  it("recreates the entries after a new one in the middle", () => {
    const { operations, after } = planned(rules(many("ab")), closed(many("anb")));
    expect(namesOf(after as TreeNode)).toEqual(["a", "n", "b"]);
    expect(actions(operations)).toEqual(["delete", "set"]);
  });

  it("edits the list if that is legal and cheaper", () => {
    const { operations, after } = planned(rules(many("abcd")), closed(many("dcba")), { rewriteLists: "allowed" });
    expect(namesOf(after as TreeNode)).toEqual([..."dcba"]);
    expect(actions(operations)).toEqual(["edit"]);
  });

  it("refuses if an unmanaged entry follows", () => {
    const { plan } = planned(rules(many("abx")), rules(many("ba")));
    expect(plan.refusals.map(({ guard }) => guard)).toEqual(["order"]);
    expect(plan.refusals[0]?.message).toContain("cannot move");
  });

  it("uses moves if the platform has them", () => {
    const { operations } = planned(rules(many("abcde")), closed(many("abedc")), { capabilities: firewallCapabilities });
    expect(new Set(actions(operations))).toEqual(new Set(["move"]));
  });

  it("never moves, and reaches the declared order, whatever else changes", () => {
    const list = fc
      .shuffledSubarray([..."abcdefg"])
      .chain((names) => fc.tuple(...names.map((name) => fc.constantFrom("allow", "deny").map((action) => rule(name, action)))));
    fc.assert(
      fc.property(list, list, fc.constantFrom("never" as const, "allowed" as const), (from, to, rewriteLists) => {
        const { plan, operations, after } = planned(rules(from), closed(to), { rewriteLists });
        expect(plan.refusals).toEqual([]);
        expect(operations.filter(({ action }) => action === "move")).toEqual([]);
        expect(namesOf(after as TreeNode)).toEqual(namesOf(tree(rules(to))));
      }),
    );
  });
});
