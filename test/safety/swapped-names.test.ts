import { afterEach, describe, expect, it } from "vitest";
import { find } from "../../src/core/tree/lookup.js";
import type { TreeNode } from "../../src/core/tree/node.js";
import { parsePath } from "../../src/core/tree/xpath.js";
import type { Capabilities } from "../../src/plan/platform.js";
import { ALL, SPECIFICATION } from "../engine/apply/device-target.js";
import { LabWorld } from "../engine/apply/lab-world.js";
import { type Death, Mortal } from "../engine/apply/mortal.js";
import { BARE } from "../engine/apply/scenes.js";
import { World } from "../engine/apply/world.js";
import { reachableWhile } from "../engine/watch/reachable.js";

// Two rules swap their names in one commit: each keeps its uuid and its counters, and there is never a rule of a name that nobody gave.

const RULES = "/config/devices/entry[@name='localhost.localdomain']/vsys/entry[@name='vsys1']/rulebase/security/rules";
const rule = (name: string, action: string, was?: string) =>
  `          - { name: ${name}, ${was === undefined ? "" : `$was: ${was}, `}from: [any], to: [any], source: [any], destination: [any], application: [any], service: [any], action: ${action} }\n`;
const document = (rules: string, head = "") =>
  `target: edge\nscope: vsys1\n${head}config:\n  rulebase:\n    security:\n      rules:\n        $position: top\n        $entries:\n${rules}`;
const BEFORE = document(rule("a", "allow") + rule("b", "drop"));
const SWAPPED = document(rule("b", "allow", "a") + rule("a", "drop", "b"));

/** `name action` of each rule, in order. */
function rulesOf(config: TreeNode): string[] {
  const text = (entry: TreeNode) => entry.children.find(({ tag }) => tag === "action")?.text;
  return (find(config, parsePath(RULES))?.children ?? []).map((entry) => `${entry.name} ${text(entry)}`);
}

function uuidsOf({ lab }: LabWorld): Record<string, string | undefined> {
  const rules = find(lab.device.state.running, parsePath(RULES))?.children ?? [];
  return Object.fromEntries(rules.map((entry) => [entry.name ?? "", entry.attributes?.get("uuid")]));
}

const labs: LabWorld[] = [];
afterEach(async () => {
  for (const lab of labs.splice(0)) await lab.close();
});

async function lab(options: Parameters<typeof LabWorld.start>[1] = {}): Promise<LabWorld> {
  const world = await LabWorld.start(BARE, { strict: true, ...options });
  labs.push(world);
  world.want(BEFORE);
  expect((await world.reconcile()).error).toBeUndefined();
  return world;
}

describe("two rules that swap their names", () => {
  it.each([
    ["a current device", {}],
    ["a device without batches", { version: "10.0.4" }],
  ])("keep what is theirs, in one commit, on %s", async (_, options) => {
    const world = await lab(options);
    const before = uuidsOf(world);
    const commits = world.lab.device.state.commits.length;
    world.want(SWAPPED);
    const outcome = await world.reconcile();
    expect([outcome.error, outcome.applied?.operations, outcome.applied?.proven]).toEqual([undefined, 3, true]);
    expect(world.lab.device.state.commits.length).toBe(commits + 1);
    expect(rulesOf(world.lab.device.state.running)).toEqual(["b allow", "a drop", "deny-all deny"]);
    expect(uuidsOf(world)).toEqual({ ...before, a: before.b, b: before.a });
    expect(before.a).toBeDefined();
    expect((await world.reconcile()).applied?.operations).toBe(0);
    expect((await world.drift()).drift?.items ?? []).toEqual([]);
  });

  it("have their names again when checks take the commit back", async () => {
    const world = await lab();
    const before = uuidsOf(world);
    world.want(
      document(rule("b", "allow", "a") + rule("a", "drop", "b"), "probe:\n  - { tcp: { host: 192.0.2.80, port: 443 }, attempts: 1 }\n"),
    );
    const commits = world.lab.device.state.commits.length;
    const network = reachableWhile(() => world.lab.device.state.commits.length === commits);
    const taken = await world.reconcile({ write: { network } });
    expect(taken.error).toMatchObject({ code: "commit-taken-back" });
    expect(rulesOf(world.lab.device.state.running)).toEqual(["a allow", "b drop", "deny-all deny"]);
    expect(uuidsOf(world)).toEqual(before);
  });
});

const PLATFORMS: Record<string, Capabilities> = {
  "with everything": ALL,
  "without a revert": { ...ALL, partialRevert: false },
  "without batches": { ...ALL, atomicBatch: false, maxBatchOperations: 1 },
};

describe.each(Object.entries(PLATFORMS))("a run that swaps names is killed, on a platform %s", (_, capabilities) => {
  async function started(): Promise<World> {
    const world = new World(BARE);
    world.capabilities = capabilities;
    world.want(BEFORE);
    expect((await world.reconcile()).error).toBeUndefined();
    return world.want(SWAPPED);
  }

  it("at any step: the next one ends with the names swapped, and with no rule more", async () => {
    const whole = new Mortal(undefined);
    expect((await (await started()).reconcile({ observer: whole.observer })).error).toBeUndefined();
    const deaths = whole.steps.flatMap((_, step): Death[] => [
      { step, moment: "before" },
      { step, moment: "after" },
    ]);
    expect(deaths.length).toBeGreaterThan(6);
    for (const death of deaths) {
      const world = await started();
      const mortal = new Mortal(death);
      await world.reconcile({ observer: mortal.observer, wrap: mortal.wrap });
      expect(mortal.isAlive).toBe(false);
      expect((await world.reconcile()).error, JSON.stringify(death)).toBeUndefined();
      expect(rulesOf(world.device.running), JSON.stringify(death)).toEqual(["b allow", "a drop", "deny-all deny"]);
    }
  });
});

it("where nothing can be renamed each is written as it is declared", async () => {
  const world = new World(BARE, ", blindCommit: true");
  world.capabilities = SPECIFICATION;
  const last = (text: string) => text.replace("$position: top", "$position: bottom");
  world.want(last(BEFORE));
  expect((await world.reconcile()).error).toBeUndefined();
  world.want(last(document(rule("a", "drop", "b") + rule("b", "allow", "a"))));
  expect((await world.reconcile()).error).toBeUndefined();
  expect(rulesOf(world.device.running)).toEqual(["deny-all deny", "a drop", "b allow"]);
});
