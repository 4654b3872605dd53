import { execFileSync } from "node:child_process";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { afterTest } from "../after-test.js";
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

const key = (name: string): string => join(world.folder, `key-${name}`);
const git = (...words: string[]): string =>
  execFileSync("git", ["-C", world.folder, "-c", "user.name=t", "-c", "user.email=t@example.net", ...words], { encoding: "utf8" });
const configurationFile = (): string => join(world.folder, "desired-state/plumbline.yaml");

/** Text of an allowed signers file with new keys of these people. */
function signersText(...names: string[]): string {
  return names
    .map((name) => {
      execFileSync("ssh-keygen", ["-q", "-t", "ed25519", "-N", "", "-C", name, "-f", key(name)]);
      return `${name}@example.com ${readFileSync(`${key(name)}.pub`, "utf8")}`;
    })
    .join("");
}

function allowInGit(...names: string[]): void {
  const allowed = join(world.folder, "..", `allowed-${basename(world.folder)}`);
  afterTest(() => rmSync(allowed));
  writeFileSync(allowed, signersText(...names));
  git("config", "gpg.ssh.allowedSignersFile", allowed);
}

function addRights(...names: string[]): void {
  const signers = names.map((name) => `${name}@example.com`).join(", ");
  const rights = `\nagent:\n  page:\n    rights: [{ roles: [approve], signers: [${signers}] }]\n`;
  writeFileSync(configurationFile(), readFileSync(configurationFile(), "utf8") + rights);
  world.commit("rights");
}

/** Approves on another machine, whose store this run does not have. */
async function approveElsewhere(digest: string, words = ""): Promise<void> {
  const elsewhere = { PLUMBLINE_STATE_DIR: join(world.folder, "elsewhere") };
  expect(await world.run(`approve edge ${digest}${words}`, elsewhere)).toMatchObject({ code: 0 });
}

it("counts an approval in git only if a person with the role signed it", async () => {
  allowInGit("ann", "eve");
  addRights("ann");
  const digest = await changed();
  const before = commits();
  await approveElsewhere(digest);
  expect(await world.run("reconcile")).toMatchObject({ code: 3 });
  await approveElsewhere(digest, ` --sign-key ${key("eve")}`);
  expect(await world.run("reconcile")).toMatchObject({ code: 3 });
  expect(commits()).toBe(before);
  await approveElsewhere(digest, ` --sign-key ${key("ann")}`);
  expect(await world.run("reconcile")).toMatchObject({ code: 0 });
  expect(commits()).toBe(before + 1);
});

describe("with a remote", () => {
  /** Pushes the current commit as the default branch of a new remote, and starts a branch. */
  function startBranch(): void {
    const remote = join(world.folder, "remote.git");
    execFileSync("git", ["init", "-q", "--bare", "-b", "main", remote]);
    git("remote", "add", "origin", remote);
    git("push", "-q", "origin", "HEAD:refs/heads/main");
    git("fetch", "-q", "origin");
    git("remote", "set-head", "origin", "main");
    git("checkout", "-q", "-b", "change");
  }

  async function expectRefused(code: string): Promise<string> {
    const before = commits();
    const { code: exit, out, err } = await world.run("reconcile");
    expect(exit, out + err).toBe(3);
    expect(out + err).toContain(code);
    expect(commits()).toBe(before);
    return out + err;
  }

  it("takes the approvers from the target branch, not from the checkout", async () => {
    allowInGit("ann", "eve");
    addRights("ann");
    startBranch();
    edit("plumbline.yaml", "signers: [ann@example.com]", "signers: [eve@example.com]");
    const digest = await changed();
    await approveElsewhere(digest, ` --sign-key ${key("eve")}`);
    await expectRefused("approval-required");
    await approveElsewhere(digest, ` --sign-key ${key("ann")}`);
    expect(await world.run("reconcile")).toMatchObject({ code: 0 });
  });

  it("requires an approval although the checkout no longer does", async () => {
    startBranch();
    edit("plumbline.yaml", "\n    approve: required", "");
    const digest = await changed();
    expect(await expectRefused("approval-required")).toContain(digest.slice(0, 12));
    await world.run("plan --out plan.json");
    expect(await world.run("apply plan.json")).toMatchObject({ code: 3 });
    expect(await world.run(`approve edge ${digest}`)).toMatchObject({ code: 0 });
    expect(await world.run("apply plan.json")).toMatchObject({ code: 0 });
  });

  it("requires an approval although the checkout adds another plumbline.yaml in the usual place", async () => {
    startBranch();
    const text = readFileSync(configurationFile(), "utf8").replace("\n    approve: required", "");
    writeFileSync(join(world.folder, "plumbline.yaml"), text);
    git("mv", "desired-state/edge", "edge");
    git("rm", "-q", "desired-state/plumbline.yaml");
    git("add", "plumbline.yaml");
    git("commit", "-q", "-m", "move");
    writeFileSync(
      join(world.folder, "edge/objects.yaml"),
      readFileSync(join(world.folder, "edge/objects.yaml"), "utf8").replace("10.20.0.11", "10.20.0.18"),
    );
    await expectRefused("approval-required");
  });

  it("reads the allowed signers at the target branch if the file is in the repository", async () => {
    writeFileSync(join(world.folder, "desired-state/signers"), signersText("ann"));
    addRights("ann");
    edit("plumbline.yaml", "\nagent:\n", "\nagent:\n  source: { signatures: { require: ssh, allowedSigners: signers } }\n");
    startBranch();
    const forged = signersText("eve").replace("eve@", "ann@");
    writeFileSync(join(world.folder, "desired-state/signers"), forged);
    world.commit("signers");
    const digest = await changed();
    await approveElsewhere(digest, ` --sign-key ${key("eve")}`);
    await expectRefused("approval-required");
    await approveElsewhere(digest, ` --sign-key ${key("ann")}`);
    expect(await world.run("reconcile")).toMatchObject({ code: 0 });
  });

  it("follows the branch that the default branch names, not the one of the checkout", async () => {
    allowInGit("ann", "eve");
    addRights("eve");
    startBranch();
    git("push", "-q", "origin", "HEAD:refs/heads/forged");
    edit("plumbline.yaml", "signers: [eve@example.com]", "signers: [ann@example.com]");
    git("push", "-q", "origin", "HEAD:refs/heads/production");
    git("checkout", "-q", "-B", "main", "origin/main");
    edit("plumbline.yaml", "\nagent:\n", "\nagent:\n  source: { branch: production }\n");
    git("push", "-q", "origin", "HEAD:refs/heads/main");
    git("fetch", "-q", "origin");
    edit("plumbline.yaml", "branch: production", "branch: forged");
    const digest = await changed();
    await approveElsewhere(digest, ` --sign-key ${key("eve")}`);
    await expectRefused("approval-required");
    await approveElsewhere(digest, ` --sign-key ${key("ann")}`);
    expect(await world.run("reconcile")).toMatchObject({ code: 0 });
  });

  it.each([
    ["the clone does not have it", () => git("remote", "set-head", "origin", "--delete")],
    [
      "it has no plumbline.yaml",
      () => git("update-ref", "refs/remotes/origin/main", git("commit-tree", "-m", "empty", git("mktree", "--missing").trim()).trim()),
    ],
  ])("refuses without the target branch: %s", async (_, lose) => {
    startBranch();
    await changed();
    lose();
    expect(await expectRefused("approval-branch-unknown")).toContain("git remote set-head origin --auto");
  });

  it("does not need the target branch if no approval is required", async () => {
    edit("plumbline.yaml", "\n    approve: required", "");
    startBranch();
    git("remote", "set-head", "origin", "--delete");
    await changed();
    expect(await world.run("reconcile")).toMatchObject({ code: 0 });
  });
});
