import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { parsePath } from "../../../src/core/tree/xpath/xpath.js";
import { exitCode } from "../../../src/outcome/outcome.js";
import { ADDRESS, addresses, addressesOf, BARE, setAddress } from "../apply/scenes.js";
import { World } from "../apply/world.js";

const ALLOWED = { pass: { allowNonDescendant: true } };

/** A repository whose two commits were applied: `first` wants other values than `second`. */
async function twoCommits() {
  const world = new World(BARE);
  const git = (...words: string[]): string =>
    execFileSync("git", ["-C", world.folder, "-c", "user.name=ann", "-c", "user.email=a@b", ...words], {
      encoding: "utf8",
      stdio: ["ignore", "pipe", "ignore"],
    }).trim();
  git("init", "--quiet", "--initial-branch=main");
  writeFileSync(join(world.folder, ".gitignore"), "/state\n/ledger.json\n");
  const commit = (wanted: Record<string, string>): string => {
    world.want(addresses(wanted));
    git("add", ".");
    git("commit", "--quiet", "--allow-empty", "--message", "wanted");
    return git("rev-parse", "HEAD");
  };
  const first = commit({ a: "10.0.0.1", b: "10.0.0.1" });
  expect((await world.reconcile()).error).toBeUndefined();
  const second = commit({ a: "10.0.0.2", b: "10.0.0.1" });
  expect((await world.reconcile()).error).toBeUndefined();
  const running = () => addressesOf(world.device.running);
  return { world, git, commit, first, second, running };
}

describe("a run at a commit older than the last applied one", () => {
  it("restores no former value, unless the user allows it", async () => {
    const { world, git, first, second, running } = await twoCommits();
    git("checkout", "--quiet", first);
    const outcome = await world.reconcile();
    expect([outcome.error?.code, exitCode([outcome]), running().a]).toEqual(["plan-refused", 3, "10.0.0.2"]);
    expect(outcome.plan?.refusals).toEqual([
      expect.objectContaining({
        guard: "non-descendant",
        allow: "--allow non-descendant",
        message: expect.stringContaining(second.slice(0, 12)),
      }),
    ]);
    expect((await world.reconcile(ALLOWED)).error).toBeUndefined();
    expect(running().a).toBe("10.0.0.1");
  });

  it("creates no object again that the newer commit deleted", async () => {
    const { world, git, commit, second, running } = await twoCommits();
    commit({ a: "10.0.0.2" });
    await world.reconcile();
    git("checkout", "--quiet", second);
    expect(exitCode([await world.reconcile()])).toBe(3);
    expect(running().b).toBeUndefined();
  });

  it("creates no object again that the newer commit deleted, also if the clone does not contain that commit", async () => {
    const { world, git, commit, second, running } = await twoCommits();
    const third = commit({ a: "10.0.0.2" });
    await world.reconcile();
    git("checkout", "--quiet", "--detach", second);
    git("branch", "--delete", "--force", "main");
    git("reflog", "expire", "--expire=now", "--all");
    git("gc", "--quiet", "--prune=now");
    const outcome = await world.reconcile();
    expect([exitCode([outcome]), running().b]).toEqual([3, undefined]);
    expect(outcome.plan?.refusals.map(({ guard, message }) => `${guard} ${message.includes(third.slice(0, 12))}`)).toEqual([
      "non-descendant true",
    ]);
    expect((await world.reconcile(ALLOWED)).error).toBeUndefined();
    expect(running().b).toBe("10.0.0.1");
  });

  // The newer commit may have failed halfway, and the ledger then does not name all its changes. And a run records its own commit as the last
  // applied one: after one healed value, the next run would not know of the newer commit and restore the rest.
  it("heals no value if the clone does not contain the newer commit, also of a path that this commit did not change", async () => {
    const { world, git, commit, second, running } = await twoCommits();
    const third = commit({ a: "10.0.0.3", b: "10.0.0.1", c: "10.0.0.1" });
    await world.reconcile();
    git("checkout", "--quiet", "--detach", second);
    git("branch", "--delete", "--force", "main");
    git("reflog", "expire", "--expire=now", "--all");
    git("gc", "--quiet", "--prune=now");
    world.device.write("alice", [setAddress(ADDRESS, "b", "10.9.9.9")]);
    world.device.commit("alice", "manual", false);
    const only = parsePath(`${ADDRESS}/entry[@name='b']`);
    for (const pass of [{ only }, {}]) {
      const outcome = await world.reconcile({ pass });
      expect([exitCode([outcome]), outcome.plan?.refusals.map(({ guard }) => guard)]).toEqual([3, ["non-descendant"]]);
    }
    expect((await world.plan({ pass: { only } })).plan?.refusals[0]?.message).toContain(third.slice(0, 12));
    expect(running()).toMatchObject({ a: "10.0.0.3", b: "10.9.9.9", c: "10.0.0.1" });
    expect((await world.reconcile({ pass: { ...ALLOWED.pass, only } })).error).toBeUndefined();
    expect(running().b).toBe("10.0.0.1");
    expect(exitCode([await world.reconcile()])).toBe(3);
    expect(running()).toMatchObject({ a: "10.0.0.3", c: "10.0.0.1" });
  });

  it("is in sync if it would change nothing", async () => {
    const { world, git, commit, second } = await twoCommits();
    commit({ a: "10.0.0.2", b: "10.0.0.1" });
    await world.reconcile();
    git("checkout", "--quiet", second);
    expect(exitCode([await world.reconcile()])).toBe(0);
  });

  it("does not stop a revert of the newer commit", async () => {
    const { world, git, second, running } = await twoCommits();
    git("revert", "--no-edit", second);
    expect((await world.reconcile()).error).toBeUndefined();
    expect(running().a).toBe("10.0.0.1");
  });

  it("is accepted from an agent whose settings allow rewinds", async () => {
    const { world, git, first, running } = await twoCommits();
    git("checkout", "--quiet", first);
    expect((await world.reconcile({ pass: { allowRewind: true } })).error).toBeUndefined();
    expect(running().a).toBe("10.0.0.1");
  });
});

describe("a run at a commit of another branch", () => {
  it("is refused only if it lacks the commit that wrote the value", async () => {
    const { world, git, commit, first, running } = await twoCommits();
    git("checkout", "--quiet", "-b", "side", first);
    commit({ a: "10.0.0.3", b: "10.0.0.1" });
    const outcome = await world.plan();
    expect(outcome.plan?.refusals.map(({ guard, message }) => `${guard} ${message.includes("entry[@name='a']")}`)).toEqual([
      "non-descendant true",
    ]);
    commit({ a: "10.0.0.2", b: "10.0.0.4" });
    expect((await world.reconcile()).error).toBeUndefined();
    expect(running()).toMatchObject({ a: "10.0.0.2", b: "10.0.0.4" });
  });

  it("heals a value that a common commit wrote", async () => {
    const { world, git, commit, first, running } = await twoCommits();
    git("checkout", "--quiet", "-b", "side", first);
    commit({ a: "10.0.0.2", b: "10.0.0.1" });
    world.device.write("alice", [setAddress(ADDRESS, "b", "10.9.9.9")]);
    world.device.commit("alice", "manual", false);
    expect((await world.reconcile()).error).toBeUndefined();
    expect(running().b).toBe("10.0.0.1");
  });

  it("restores no value after a narrowed run of the same branch", async () => {
    const { world, git, commit, first, running } = await twoCommits();
    git("checkout", "--quiet", "-b", "side", first);
    commit({ a: "10.0.0.3", b: "10.0.0.4" });
    const only = parsePath(`${ADDRESS}/entry[@name='b']`);
    expect((await world.reconcile({ pass: { only } })).error).toBeUndefined();
    expect(running()).toMatchObject({ a: "10.0.0.2", b: "10.0.0.4" });
    expect(exitCode([await world.reconcile()])).toBe(3);
    expect(running().a).toBe("10.0.0.2");
  });
});

describe("adopt at a commit older than the last applied one", () => {
  it("does not make it the last applied commit, unless the user allows it", async () => {
    const { world, git, first, second, running } = await twoCommits();
    git("checkout", "--quiet", first);
    const outcome = await world.adopt();
    expect([outcome.error?.code, exitCode([outcome])]).toEqual(["adopt-non-descendant", 3]);
    expect(outcome.error?.message).toContain(second.slice(0, 12));
    expect(exitCode([await world.reconcile()])).toBe(3);
    expect(running().a).toBe("10.0.0.2");
    expect((await world.adopt(ALLOWED)).error).toBeUndefined();
    expect((await world.reconcile()).error).toBeUndefined();
    expect(running().a).toBe("10.0.0.1");
  });

  it("is refused with a path, and keeps the last applied commit if the user allows it", async () => {
    const { world, git, first, running } = await twoCommits();
    git("checkout", "--quiet", first);
    const only = parsePath(`${ADDRESS}/entry[@name='b']`);
    expect((await world.adopt({ pass: { only } })).error?.code).toBe("adopt-non-descendant");
    expect((await world.adopt({ pass: { ...ALLOWED.pass, only } })).error).toBeUndefined();
    expect(exitCode([await world.reconcile()])).toBe(3);
    expect(running().a).toBe("10.0.0.2");
  });

  it("is refused at a commit of another branch, and if the clone does not contain the last applied commit", async () => {
    const { world, git, commit, first, second } = await twoCommits();
    git("checkout", "--quiet", "-b", "side", first);
    commit({ a: "10.0.0.3", b: "10.0.0.1" });
    expect((await world.adopt()).error?.message).toContain(`does not contain ${second.slice(0, 12)}`);
    git("branch", "--delete", "--force", "main");
    git("reflog", "expire", "--expire=now", "--all");
    git("gc", "--quiet", "--prune=now");
    const { error } = await world.adopt();
    expect([error?.code, error?.message]).toEqual([
      "adopt-non-descendant",
      expect.stringContaining(`This clone does not contain commit ${second.slice(0, 12)}`),
    ]);
  });

  it("is accepted at the last applied commit and at a newer one", async () => {
    const { world, commit } = await twoCommits();
    expect((await world.adopt()).error).toBeUndefined();
    commit({ a: "10.0.0.2" });
    expect((await world.adopt()).error).toBeUndefined();
  });
});
