import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { type CliWorld, openWorld } from "../cli/world.js";

let world: CliWorld;

beforeEach(async () => {
  world = await openWorld();
  expect(await world.run("adopt edge")).toMatchObject({ code: 0 });
  expect(await world.run("reconcile")).toMatchObject({ code: 0 });
  edit("plumbline.yaml", "mode: enforce", "mode: enforce\n    approve: required");
});
afterEach(() => world.close());

function edit(file: string, from: string, to: string): void {
  const path = join(world.folder, "desired-state", file);
  const text = readFileSync(path, "utf8");
  expect(text).toContain(from);
  writeFileSync(path, text.replace(from, to));
  world.commit("a change");
}

const FIRST = "        - name: resolve-names\n";
const STOP =
  "        - { name: stop, from: [any], to: [any], source: [any], destination: [any], application: [any], service: [any], action: drop }\n";
const DENY_ALL = "        - name: deny-all\n          from: [any]\n";

/** Refused, with the change of meaning listed first, and without a commit. */
async function expectRefused(words: string): Promise<void> {
  const commits = world.lab.device.state.commits.length;
  for (const command of ["plan", "reconcile"]) {
    const { code, out } = await world.run(command);
    expect(code, out).toBe(3);
    expect(out).toContain(`  ! ${words}`);
    expect(out).toContain("--allow meaning");
  }
  expect(world.lab.device.state.commits).toHaveLength(commits);
  expect(await world.run("plan --allow meaning")).toMatchObject({ code: 2 });
}

it("a new rule that denies everything above others is a change of meaning", async () => {
  edit("edge/rules/security.yaml", FIRST, STOP + FIRST);
  await expectRefused('Rule "stop" denies everything, above 5 rules that let traffic through and no longer match.');
});

it("so is losing the rule that closes the rulebase, even if it is only narrowed", async () => {
  edit("edge/rules/security.yaml", DENY_ALL, DENY_ALL.replace("any", "untrust"));
  await expectRefused('Rule "deny-all" denied everything at the end of the rulebase');
});
