import { describe, expect, it } from "vitest";
import { type Edit, withEdits } from "../../../src/access/edit.js";
import type { TreeNode } from "../../../src/core/tree/node.js";
import { answerRequest, proveAfter } from "../../../src/engine/access/answer-requests.js";
import { seedsOf, soak } from "../../seed.js";
import { randomOf } from "../../targets/panos/policy/random.js";
import { allowed, baseOf, devices, manager, NONE, ONLY_WANTED, rule, rules, WANTED } from "./managed-firewalls.js";
import { randomManager, SERIALS } from "./random-manager.js";

async function designed(tree: TreeNode, scope: string | undefined) {
  const base = baseOf(tree, scope);
  const { answer, designs, requested } = await answerRequest(base, WANTED, "CHG-1");
  const edits: readonly Edit[] = designs[0]?.edits ?? [];
  const after = withEdits(tree, edits);
  return { answer, after, faults: proveAfter(base, after, requested, false) };
}

const DENY_ALL = rules("post", rule("deny all", "deny"));

describe("a request to a manager", () => {
  it("adds a pre-rule to the device group for all of its firewalls, and for no other", async () => {
    const tree = manager({ shared: DENY_ALL, branch: rules("pre", rule("mine", "allow", { source: ["10.9.0.0/16"] })) });
    const { answer, after, faults } = await designed(tree, "device-group/branch");
    expect(answer.designs[0]?.summary).toMatch(/^add rule 10\.1\.0\.5-to-10\.2\.0\.9-ssl below all pre-rules of device-group\/branch/);
    expect(answer.notes).toContain("Rules of device-group/branch apply to fw-a, fw-b.");
    expect(faults).toEqual([]);
    expect([allowed(tree, "a"), allowed(tree, "b")]).toEqual([NONE, NONE]);
    expect([allowed(after, "a"), allowed(after, "b"), allowed(after, "c")]).toEqual([ONLY_WANTED, ONLY_WANTED, NONE]);
  });

  it("adds a post-rule above the post-rule of the same group that denies it", async () => {
    const tree = manager({ branch: rules("post", rule("mine", "deny")) });
    const { answer, after, faults } = await designed(tree, "device-group/branch");
    expect(answer.designs[0]?.summary).toContain("above rule mine in post-rules of device-group/branch");
    expect(faults).toEqual([]);
    expect([allowed(after, "a"), allowed(after, "b")]).toEqual([ONLY_WANTED, ONLY_WANTED]);
  });

  it("adds a rule of a parent group for the firewalls of all its groups", async () => {
    const tree = manager({ all: rules("pre", rule("known", "allow", { source: ["10.9.0.0/16"] })), shared: DENY_ALL });
    const { answer, after, faults } = await designed(tree, "device-group/all");
    expect(answer.notes.join()).toMatch(/apply to .*fw-a.*fw-b.*fw-c|apply to .*fw-c/);
    expect(faults).toEqual([]);
    expect((["a", "b", "c"] as const).map((serial) => allowed(after, serial))).toEqual([ONLY_WANTED, ONLY_WANTED, ONLY_WANTED]);
  });

  it("is refused if another firewall of the group has none of the zones, because it would refuse the pushed rule", async () => {
    const known = rule("known", "allow", { source: ["10.9.0.0/16"] });
    const tree = manager({ branch: rules("pre", known, rule("never", "deny")) }, {}, ["b"]);
    const { answer } = await designed(tree, "device-group/branch");
    expect(answer).toMatchObject({ state: "refused", designs: [] });
    expect(answer.notes).toContain("Some of these zones or objects are not known on fw-b.");
    expect(answer.reasons.join()).toContain("fw-b: Some of these zones or objects are not known there, so the push of this edit may fail.");
  });

  it("adds a rule of shared for all firewalls, also above pre-rules of their groups", async () => {
    const known = rule("known", "allow", { source: ["10.9.0.0/16"] });
    const tree = manager({ shared: rules("pre", known), branch: rules("pre", rule("never", "deny")) });
    const { answer, after, faults } = await designed(tree, "shared");
    expect(answer.designs[0]?.summary).toContain("below all pre-rules of shared");
    expect(faults).toEqual([]);
    expect((["a", "b", "c"] as const).map((serial) => allowed(after, serial)[0])).toEqual([true, true, true]);
  });

  it.each(seedsOf(soak ? 1000 : 20))("opens exactly the requested flow on every firewall by rules of shared: seed %i", async (seed) => {
    const { tree } = randomManager(randomOf(29900 + seed));
    const { answer, after, faults } = await designed(tree, "shared");
    const was = SERIALS.map((serial) => allowed(tree, serial));
    if (was.every((flows) => flows[0] === true)) expect({ seed, state: answer.state }).toEqual({ seed, state: "allowed" });
    if (answer.state !== "designed" || answer.designs[0]?.excess.length !== 0) return;
    expect({ seed, faults }).toEqual({ seed, faults: [] });
    const is = SERIALS.map((serial) => allowed(after, serial));
    expect({ seed, is }).toEqual({ seed, is: was.map((flows) => flows.map((flow, at) => flow || at === 0)) });
  });

  it("reports firewalls that allow it already, and still adds the rule that the others need", async () => {
    const open = rule("only a", "allow", {}, `<target>${devices(["a"])}</target>`);
    const tree = manager({ shared: DENY_ALL, branch: rules("pre", open) });
    const { answer, after, faults } = await designed(tree, "device-group/branch");
    expect(answer.notes).toContain("Already allowed on fw-a.");
    expect(faults).toEqual([]);
    expect(allowed(after, "b")).toEqual(ONLY_WANTED);
    expect(allowed(after, "a")).toEqual(allowed(tree, "a"));
  });

  it("is refused if a rule of a parent group denies it first", async () => {
    const tree = manager({
      all: rules("pre", rule("never", "deny")),
      branch: rules("pre", rule("mine", "allow", { source: ["10.9.0.0/16"] })),
    });
    const { answer } = await designed(tree, "device-group/branch");
    expect(answer).toMatchObject({ state: "refused", designs: [] });
    expect(answer.reasons.join()).toContain('Rule "never" of device-group/all decides it before any rule of device-group/branch.');
  });

  it("is refused if no document has rules of the group, and if several groups have the zones", async () => {
    const tree = manager({ shared: DENY_ALL });
    expect((await designed(tree, "device-group/branch")).answer.reasons).toContain(
      "No document declares security rules of device-group/branch.",
    );
    expect((await designed(tree, undefined)).answer.reasons.join()).toMatch(/Several rulebases have these zones: .*Set --scope\./);
  });
});
