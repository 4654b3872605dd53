import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { type CliWorld, openWorld } from "../cli/world.js";

// `approve: required` binds every runner, not only the agent.

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

const commits = () => world.lab.device.state.commits.length;

async function digestOf(): Promise<string> {
  const { out } = await world.run("plan --format json");
  return (JSON.parse(out) as { targets: { plan: { digest: string } }[] }).targets[0]?.plan.digest ?? "";
}

/** Changes an address, which is no change of meaning. */
async function changed(): Promise<string> {
  edit("edge/objects.yaml", "10.20.0.11", "10.20.0.18");
  return await digestOf();
}

it.each(["reconcile", "reconcile --yes", "reconcile --allow meaning"])("`%s` writes nothing without an approval", async (command) => {
  const digest = await changed();
  const before = commits();
  const { code, out, err } = await world.run(command);
  expect(code, out + err).toBe(3);
  expect(out + err).toContain("approval-required");
  expect(out + err).toContain(`plumbline approve edge ${digest}`);
  expect(commits()).toBe(before);
});

it("`apply` writes a plan file only if its plan is approved", async () => {
  const digest = await changed();
  await world.run("plan --out plan.json");
  const before = commits();
  expect(await world.run("apply plan.json")).toMatchObject({ code: 3 });
  expect(commits()).toBe(before);
  expect(await world.run(`approve edge ${digest}`)).toMatchObject({ code: 0 });
  expect(await world.run("apply plan.json")).toMatchObject({ code: 0 });
  expect(commits()).toBe(before + 1);
});

it("an approval covers one plan: a later one needs its own", async () => {
  expect(await world.run(`approve edge ${await changed()}`)).toMatchObject({ code: 0 });
  expect(await world.run("reconcile")).toMatchObject({ code: 0 });
  edit("edge/objects.yaml", "10.20.0.18", "10.20.0.19");
  const before = commits();
  expect(await world.run("reconcile")).toMatchObject({ code: 3 });
  expect(commits()).toBe(before);
});

it("an approval also allows a change of meaning", async () => {
  edit("edge/rules/security.yaml", "action: deny", "action: allow");
  const digest = await digestOf();
  expect(await world.run("reconcile")).toMatchObject({ code: 3 });
  expect(await world.run(`approve edge ${digest}`)).toMatchObject({ code: 0 });
  expect(await world.run("reconcile")).toMatchObject({ code: 0 });
});

it("a run without work needs no approval", async () => {
  expect(await world.run("reconcile")).toMatchObject({ code: 0 });
});

it("counts an approval in git only if a person with the role signed it", async () => {
  const key = (name: string): string => join(world.folder, `key-${name}`);
  const names = ["ann", "eve"];
  for (const name of names) execFileSync("ssh-keygen", ["-q", "-t", "ed25519", "-N", "", "-C", name, "-f", key(name)]);
  const allowed = join(world.folder, "allowed-signers");
  writeFileSync(allowed, names.map((name) => `${name}@example.com ${readFileSync(`${key(name)}.pub`, "utf8")}`).join(""));
  execFileSync("git", ["-C", world.folder, "config", "gpg.ssh.allowedSignersFile", allowed]);
  const file = join(world.folder, "desired-state/plumbline.yaml");
  const rights = "\nagent:\n  page:\n    rights: [{ roles: [approve], signers: [ann@example.com] }]\n";
  writeFileSync(file, readFileSync(file, "utf8") + rights);
  world.commit("rights");
  const digest = await changed();
  // The approvals are given on another machine, whose store this run does not have.
  const elsewhere = { PLUMBLINE_STATE_DIR: join(world.folder, "elsewhere") };
  const approve = async (words: string): Promise<void> =>
    expect(await world.run(`approve edge ${digest}${words}`, elsewhere)).toMatchObject({ code: 0 });
  const before = commits();
  await approve("");
  expect(await world.run("reconcile")).toMatchObject({ code: 3 });
  await approve(` --sign-key ${key("eve")}`);
  expect(await world.run("reconcile")).toMatchObject({ code: 3 });
  expect(commits()).toBe(before);
  await approve(` --sign-key ${key("ann")}`);
  expect(await world.run("reconcile")).toMatchObject({ code: 0 });
  expect(commits()).toBe(before + 1);
});
