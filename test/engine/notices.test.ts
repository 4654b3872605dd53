import { execFileSync } from "node:child_process";
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { type Git, gitIn } from "../../src/engine/checkout/git.js";
import { FolderStore } from "../../src/engine/ledger/folder-store.js";
import { GitStore } from "../../src/engine/ledger/git-store.js";
import { NoticeBoard } from "../../src/engine/notices.js";
import type { Pause } from "../../src/engine/pause.js";

function boards() {
  const folder = mkdtempSync(join(tmpdir(), "notices-"));
  return { folder, ours: new NoticeBoard(new FolderStore(folder), "netops"), theirs: new NoticeBoard(new FolderStore(folder), "secops") };
}

function elsewhere(bare: string): string {
  const clone = mkdtempSync(join(tmpdir(), "notices-"));
  execFileSync("git", ["clone", "--quiet", bare, clone], { stdio: "ignore" });
  return clone;
}

const pause = (target: string | undefined, until?: number): Pause => ({ target, reason: "r", by: "ann", since: 0, until });

describe("the notices", () => {
  it("pause a target for every owner, until the end or a resume", async () => {
    const { ours, theirs } = boards();
    await ours.pause(pause("edge", 100));
    await expect(theirs.refusePaused("edge", 99)).rejects.toMatchObject({ code: "paused", severity: "refused" });
    await theirs.refusePaused("edge", 100);
    await theirs.refusePaused("core", 99);
    expect(await theirs.resume("edge")).toBe(true);
    expect(await theirs.resume("edge")).toBe(false);
    await ours.refusePaused("edge", 99);
  });

  it("pause all targets, and keep one pause per target", async () => {
    const { ours } = boards();
    await ours.pause(pause(undefined));
    await ours.pause(pause("edge", 10));
    await ours.pause(pause("edge", 20));
    expect(await ours.pauses(15)).toHaveLength(2);
    await expect(ours.refusePaused("anything", 10 ** 15)).rejects.toMatchObject({ code: "paused" });
  });

  it("lose nothing if two write in parallel", async () => {
    const { ours, folder } = boards();
    const again = new NoticeBoard(new FolderStore(folder), "netops");
    await ours.pause(pause("first"));
    await Promise.all([ours.pause(pause("a")), again.pause(pause("b"))]).catch(() => undefined);
    expect((await ours.pauses(0)).map(({ target }) => target)).toContain("first");
  });

  it("keep the newest approvals and resumes, and a resume without a pause", async () => {
    const { ours, theirs } = boards();
    for (let i = 0; i < 205; i++)
      await ours.approve({ target: "edge", digest: String(i), by: "ann", at: i, source: undefined, signature: "s" });
    const signed = { target: "edge", by: "ann", at: 1, signature: "s" };
    expect(await ours.resume("edge", signed)).toBe(false);
    const { approvals, resumes } = await theirs.everything();
    expect(approvals.map(({ digest }) => digest)).toEqual(Array.from({ length: 200 }, (_, i) => String(i + 5)));
    expect(resumes).toEqual([signed]);
  });

  it("need one ls-remote per read, and a fetch only for changes", async () => {
    const [bare, clone] = [mkdtempSync(join(tmpdir(), "notices-")), mkdtempSync(join(tmpdir(), "notices-"))];
    execFileSync("git", ["init", "--quiet", "--bare", bare]);
    execFileSync("git", ["clone", "--quiet", bare, clone], { stdio: "ignore" });
    const asked: string[] = [];
    const git = gitIn(clone);
    const counted: Git = (words, input) => {
      asked.push(words[0] ?? "");
      return git(words, input);
    };
    const remote = () => asked.splice(0).filter((word) => word === "ls-remote" || word === "fetch" || word === "push");
    const reader = new NoticeBoard(new GitStore(counted, "origin"), "netops");
    await reader.refusePaused("edge", 0);
    expect(remote()).toEqual(["ls-remote"]);
    for (const owner of ["secops", "others"])
      await new NoticeBoard(new GitStore(gitIn(elsewhere(bare)), "origin"), owner).pause(pause("core"));
    await reader.refusePaused("edge", 0);
    expect(remote()).toEqual(["ls-remote", "fetch", "fetch"]);
    await reader.refusePaused("edge", 0);
    expect(remote()).toEqual(["ls-remote"]);
    await expect(reader.refusePaused("core", 0)).rejects.toMatchObject({ code: "paused" });
  });

  it("refuse a write if unreadable", async () => {
    const { folder } = boards();
    const store = new FolderStore(folder);
    await store.write({ owner: "netops", target: ":notices" }, "{", undefined);
    await expect(new NoticeBoard(store, "secops").refusePaused("edge", 0)).rejects.toMatchObject({
      code: "notices-unreadable",
      severity: "refused",
    });
  });
});
