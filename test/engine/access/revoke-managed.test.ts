import { describe, expect, it } from "vitest";
import { withEdits } from "../../../src/access/edit.js";
import type { TreeNode } from "../../../src/core/tree/node.js";
import { answerRevoke } from "../../../src/engine/access/revoke-pass.js";
import { seedsOf, soak } from "../../seed.js";
import { randomOf } from "../../targets/panos/policy/random.js";
import { allowed, baseOf, devices, manager, rule, rules, WANTED } from "./managed-firewalls.js";
import { randomManager } from "./random-manager.js";

const SERIALS = ["a", "b", "c"] as const;
const BRANCH = "device-group/branch";

const revoked = async (tree: TreeNode, scope: string | undefined = BRANCH) =>
  await answerRevoke(baseOf(tree, scope), { request: WANTED, note: "CHG-1" });

/** Whether each firewall allows each flow, before and after the first design. */
async function outcome(tree: TreeNode, scope: string | undefined = BRANCH) {
  const { answer, designs } = await revoked(tree, scope);
  const after = withEdits(tree, designs[0]?.edits ?? []);
  const of = (each: TreeNode) => SERIALS.map((serial) => allowed(each, serial));
  return { answer, design: designs[0], was: of(tree), is: of(after) };
}

const closed = (flows: readonly boolean[] | undefined) => flows?.map((flow, at) => flow && at !== 0);

describe("a flow that rules of a manager allow", () => {
  it("is closed by the removal of a member of a pre-rule, on all firewalls of the group and on no other", async () => {
    const pair = rule("pair", "allow", {
      ...{ from: ["inside"], to: ["outside"], source: ["10.1.0.5", "10.1.0.6"], destination: ["10.2.0.9"] },
      ...{ application: ["ssl"], service: ["application-default"] },
    });
    const { answer, was, is } = await outcome(manager({ branch: rules("pre", pair), plants: rules("pre", pair) }));
    expect(answer).toMatchObject({ state: "designed", scope: BRANCH, notes: ["Rules of device-group/branch apply to fw-a, fw-b."] });
    expect(answer.designs[0]?.steps).toEqual(["remove 10.1.0.5 from source of rule pair"]);
    expect(was[0]?.[0]).toBe(true);
    expect(is).toEqual([closed(was[0]), closed(was[1]), was[2]]);
  });

  it("is closed also if another firewall of the group has none of the zones", async () => {
    const only = rule("only", "allow", {
      from: ["inside"],
      to: ["outside"],
      source: ["10.1.0.5", "10.1.0.6"],
      destination: ["10.2.0.9"],
      application: ["ssl"],
      service: ["application-default"],
    });
    const { answer, was, is } = await outcome(manager({ branch: rules("pre", only) }, {}, ["b"]));
    expect(answer.designs[0]?.steps).toEqual(["remove 10.1.0.5 from source of rule only"]);
    expect(is[0]).toEqual(closed(was[0]));
  });

  it("gets no deny rule if another firewall of the group has none of its zones", async () => {
    const { answer } = await outcome(manager({ branch: rules("post", rule("all", "allow")) }, {}, ["b"]));
    expect(answer.designs.flatMap(({ steps }) => steps).join()).not.toContain("add rule");
  });

  it("is closed by a new deny rule above a post-rule that allows more", async () => {
    const { answer, was, is } = await outcome(manager({ branch: rules("post", rule("all", "allow")) }));
    expect(answer.designs[0]?.steps.join()).toMatch(/^add rule .* above rule all in post-rules of device-group\/branch/);
    expect(is).toEqual([closed(was[0]), closed(was[1]), was[2]]);
  });

  it("is closed if only one firewall of the group allows it", async () => {
    const open = rule("only b", "allow", { source: ["10.1.0.5"] }, `<target>${devices(["b"])}</target>`);
    const { answer, was, is } = await outcome(manager({ branch: rules("pre", open) }));
    expect(answer.state).toBe("designed");
    expect([was[0]?.[0], was[1]?.[0]]).toEqual([false, true]);
    expect(is).toEqual([was[0], closed(was[1]), was[2]]);
  });

  it("is refused if a pre-rule of a parent group allows it", async () => {
    const { answer } = await outcome(manager({ all: rules("pre", rule("open", "allow")), branch: rules("pre", rule("mine", "deny")) }));
    expect(answer.state).toBe("refused");
    expect(answer.reasons.join()).toContain('Rule "open" is not a rule of device-group/branch.');
  });
});

it.each(seedsOf(soak ? 1000 : 20))("exactly the requested flow is closed on every firewall by rules of shared: seed %i", async (seed) => {
  const { tree } = randomManager(randomOf(19900 + seed));
  const { answer, design, was, is } = await outcome(tree, "shared");
  const isOpen = was.some((flows) => flows[0] === true);
  expect({ seed, isDenied: answer.state === "denied" }).toEqual({ seed, isDenied: !isOpen });
  if (design === undefined || design.excess.length > 0) return;
  expect({ seed, steps: design.steps, is }).toEqual({ seed, steps: design.steps, is: was.map(closed) });
});

it.each(seedsOf(soak ? 1000 : 40))("exactly the requested flow is closed on every firewall of the group: seed %i", async (seed) => {
  const { tree } = randomManager(randomOf(9900 + seed));
  const { answer, design, was, is } = await outcome(tree);
  const isOpen = was[0]?.[0] === true || was[1]?.[0] === true;
  expect({ seed, isDenied: answer.state === "denied" }).toEqual({ seed, isDenied: !isOpen });
  if (design === undefined || design.excess.length > 0) return;
  expect({ seed, steps: design.steps, is }).toEqual({ seed, steps: design.steps, is: [closed(was[0]), closed(was[1]), was[2]] });
});
