import { afterEach, describe, expect, it } from "vitest";
import { find } from "../../src/core/tree/lookup.js";
import { parsePath } from "../../src/core/tree/xpath/xpath.js";
import { SPECIFICATION } from "../engine/apply/device-target.js";
import { LabWorld } from "../engine/apply/lab-world.js";
import { BARE } from "../engine/apply/scenes.js";
import { World } from "../engine/apply/world.js";
import { reachableWhile } from "../engine/watch/reachable.js";
import { BEFORE, document, RULES, rule, rulesOf, SWAPPED } from "./swapped-rules.js";

// Two rules exchange names in one commit: each keeps its uuid and its counters, and no rule ever has an undeclared name.

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
    ["a device without batches", { system: { version: "10.0.4" } }],
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

  it("have their former names again after a rollback", async () => {
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

it("on a platform without renames each is written as declared", async () => {
  const world = new World(BARE, ", blindCommit: true");
  world.capabilities = SPECIFICATION;
  const last = (text: string) => text.replace("$position: top", "$position: bottom");
  world.want(last(BEFORE));
  expect((await world.reconcile()).error).toBeUndefined();
  world.want(last(document(rule("a", "drop", "b") + rule("b", "allow", "a"))));
  expect((await world.reconcile()).error).toBeUndefined();
  expect(rulesOf(world.device.running)).toEqual(["deny-all deny", "a drop", "b allow"]);
});
