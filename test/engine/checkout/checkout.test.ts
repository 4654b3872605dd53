import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, statSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { descends, isShallow, readCheckout } from "../../../src/engine/checkout/checkout.js";
import { type Git, gitIn } from "../../../src/engine/checkout/git.js";

const identity = ["-c", "user.name=Ann", "-c", "user.email=ann@example.com"];

function git(folder: string, ...args: string[]): string {
  return execFileSync("git", [...identity, ...args], { cwd: folder, encoding: "utf8" }).trim();
}

function repository(): string {
  const folder = mkdtempSync(join(tmpdir(), "checkout-"));
  git(folder, "init", "--quiet", "--initial-branch=main");
  return folder;
}

function commit(folder: string, text: string): string {
  writeFileSync(join(folder, "a.yaml"), text);
  git(folder, "add", ".");
  git(folder, "commit", "--quiet", "-m", text);
  return git(folder, "rev-parse", "HEAD");
}

describe("readCheckout", () => {
  it("reads the parents with the commit, and none if a shallow clone ends", async () => {
    const folder = repository();
    expect((await readCheckout(folder)).parents).toEqual([]);
    const [first, second] = [commit(folder, "one"), commit(folder, "two")];
    expect(await readCheckout(folder)).toMatchObject({ commit: second, parents: [first] });
    git(folder, "checkout", "--quiet", "-b", "other", first);
    writeFileSync(join(folder, "b.yaml"), "b");
    git(folder, "add", ".");
    git(folder, "commit", "--quiet", "-m", "b");
    const other = git(folder, "rev-parse", "HEAD");
    git(folder, "checkout", "--quiet", "main");
    git(folder, "merge", "--quiet", "--no-ff", "-m", "merge", "other");
    expect((await readCheckout(folder)).parents).toEqual([second, other]);
    const shallow = join(mkdtempSync(join(tmpdir(), "shallow-")), "clone");
    git(folder, "clone", "--quiet", "--depth=1", `file://${folder}`, shallow);
    expect((await readCheckout(shallow)).parents).toEqual([]);
  });

  it("works outside git", async () => {
    const folder = mkdtempSync(join(tmpdir(), "plain-"));
    expect(await readCheckout(folder)).toMatchObject({
      root: undefined,
      commit: undefined,
      dirty: false,
      remote: undefined,
    });
  });

  it("starts git only inside a repository, also behind a link", async () => {
    const never = () => Promise.reject(new Error("asked"));
    expect(await readCheckout(mkdtempSync(join(tmpdir(), "plain-")), never)).toMatchObject({ root: undefined });
    const folder = repository();
    mkdirSync(join(folder, "below"));
    const link = join(mkdtempSync(join(tmpdir(), "plain-")), "link");
    symlinkSync(join(folder, "below"), link);
    expect(await readCheckout(link)).toMatchObject({ root: realpathSync(folder) });
  });

  it("does not accept a bare repository as a checkout", async () => {
    const folder = mkdtempSync(join(tmpdir(), "bare-"));
    git(folder, "init", "--quiet", "--bare");
    expect(await readCheckout(folder)).toMatchObject({ root: undefined, commit: undefined });
  });

  it("works without a git program", async () => {
    const none = async () => ({ code: 127, stdout: "", stderr: "spawn git ENOENT" });
    expect(await readCheckout(repository(), none)).toMatchObject({ root: undefined, commit: undefined });
  });

  it("reports git that cannot read the folder", async () => {
    const refused = async () => ({ code: 128, stdout: "", stderr: "fatal: detected dubious ownership in repository" });
    await expect(readCheckout(repository(), refused)).rejects.toMatchObject({ code: "checkout-unreadable" });
  });

  it("reads commit, author and a clean state", async () => {
    const folder = repository();
    const sha = commit(folder, "one");
    const checkout = await readCheckout(folder);
    expect(checkout).toMatchObject({ commit: sha, dirty: false });
    expect(await checkout.author()).toBe("Ann <ann@example.com>");
  });

  it("accepts a repository without a commit", async () => {
    const checkout = await readCheckout(repository());
    expect(checkout.commit).toBeUndefined();
    expect(await checkout.author()).toBeUndefined();
  });

  it("names differing documents: changed, deleted and new ones, and no other new file", async () => {
    const folder = repository();
    writeFileSync(join(folder, "gone.yaml"), "gone");
    commit(folder, "one");
    writeFileSync(join(folder, "plan.json"), "{}");
    expect(await readCheckout(folder)).toMatchObject({ dirty: true, differing: [] });
    writeFileSync(join(folder, "a.yaml"), "tw");
    rmSync(join(folder, "gone.yaml"));
    writeFileSync(join(folder, "new.yml"), "new");
    expect(await readCheckout(folder)).toMatchObject({ dirty: true, differing: ["a.yaml", "gone.yaml", "new.yml"] });
  });

  it("misses a file that git is configured not to check", async () => {
    const folder = repository();
    mkdirSync(join(folder, "sub"));
    writeFileSync(join(folder, "sub/skipped.yaml"), "skipped");
    commit(folder, "one");
    git(folder, "update-index", "--skip-worktree", "sub/skipped.yaml");
    expect(await readCheckout(join(folder, "sub"))).toMatchObject({ differing: [] });
    rmSync(join(folder, "sub/skipped.yaml"));
    expect(await readCheckout(join(folder, "sub"))).toMatchObject({ differing: ["sub/skipped.yaml"] });
  });

  it("is not clean if git cannot compare it", async () => {
    const folder = repository();
    commit(folder, "one");
    const broken: Git = async (words) => (words[0] === "status" ? { code: 128, stdout: "", stderr: "fatal: index" } : gitIn(folder)(words));
    await expect(readCheckout(folder, broken)).rejects.toMatchObject({ code: "checkout-unreadable" });
  });

  it("is dirty with uncommitted and untracked files", async () => {
    const folder = repository();
    commit(folder, "one");
    writeFileSync(join(folder, "b.yaml"), "new");
    expect((await readCheckout(folder)).dirty).toBe(true);
  });

  it("takes no lock of the index, so a parallel commit does not fail", async () => {
    const folder = repository();
    commit(folder, "one");
    // Otherwise git would detect that the rewritten file is unchanged and update its index.
    const [file, index] = [join(folder, "a.yaml"), join(folder, ".git/index")];
    utimesSync(file, 1, 1);
    const { ino } = statSync(index);
    expect(await readCheckout(folder)).toMatchObject({ dirty: false });
    expect(statSync(index).ino).toBe(ino);
    git(folder, "status");
    expect(statSync(index).ino).not.toBe(ino);
  });

  it("prefers the remote of the branch, then origin, then the only one", async () => {
    const folder = repository();
    commit(folder, "one");
    git(folder, "remote", "add", "only", "/nowhere");
    expect((await readCheckout(folder)).remote).toBe("only");
    git(folder, "remote", "add", "origin", "/nowhere");
    expect((await readCheckout(folder)).remote).toBe("origin");
    git(folder, "config", "branch.main.remote", "only");
    expect((await readCheckout(folder)).remote).toBe("only");
    git(folder, "config", "branch.main.remote", ".");
    expect((await readCheckout(folder)).remote).toBe("origin");
    git(folder, "config", "--add", "branch.main.remote", "only");
    git(folder, "config", "branch.other.remote", "elsewhere");
    expect((await readCheckout(folder)).remote).toBe("only");
    git(folder, "config", "--add", "branch.main.remote", "");
    expect((await readCheckout(folder)).remote).toBe("origin");
    git(folder, "checkout", "--quiet", "--detach");
    expect((await readCheckout(folder)).remote).toBe("origin");
  });

  it("has no remote if two are equal, and none without configuration", async () => {
    const folder = repository();
    git(folder, "config", "remote.pushDefault", "one");
    expect((await readCheckout(folder)).remote).toBeUndefined();
    git(folder, "remote", "add", "one.with.dots", "/nowhere");
    expect((await readCheckout(folder)).remote).toBe("one.with.dots");
    git(folder, "remote", "add", "two", "/nowhere");
    expect((await readCheckout(folder)).remote).toBeUndefined();
  });
});

describe("descends", () => {
  it("knows ancestors, siblings and unknown commits", async () => {
    const folder = repository();
    const first = commit(folder, "one");
    const second = commit(folder, "two");
    git(folder, "checkout", "--quiet", "-b", "side", first);
    const side = commit(folder, "three");
    expect(await descends(folder, first, second)).toBe(true);
    expect(await descends(folder, second, second)).toBe(true);
    expect(await descends(folder, second, first)).toBe(false);
    expect(await descends(folder, second, side)).toBe(false);
    expect(await descends(folder, "0".repeat(40), side)).toBe(false);
  });

  it("fetches missing history of a shallow clone, once for parallel callers", async () => {
    const origin = repository();
    const [first = "", second = "", third = ""] = ["one", "two", "three"].map((text) => commit(origin, text));
    const clone = mkdtempSync(join(tmpdir(), "shallow-"));
    git(clone, "clone", "--quiet", "--depth", "1", `file://${origin}`, ".");
    expect(await isShallow(clone)).toBe(true);
    expect(await Promise.all([first, second, "0".repeat(40)].map((ancestor) => descends(clone, ancestor, third)))).toEqual([
      true,
      true,
      false,
    ]);
  });

  it("recognises rewritten history, in a shallow clone too", async () => {
    const origin = repository();
    const lost = commit(origin, "one");
    git(origin, "checkout", "--quiet", "--orphan", "other");
    const other = commit(origin, "two");
    const clone = mkdtempSync(join(tmpdir(), "shallow-"));
    git(clone, "clone", "--quiet", "--depth", "1", "--branch", "other", `file://${origin}`, ".");
    expect(await descends(clone, lost, other)).toBe(false);
  });

  it("is false if the rest of a shallow history is unavailable", async () => {
    const origin = repository();
    const first = commit(origin, "one");
    const second = commit(origin, "two");
    const clone = mkdtempSync(join(tmpdir(), "shallow-"));
    git(clone, "clone", "--quiet", "--depth", "1", `file://${origin}`, ".");
    git(clone, "remote", "set-url", "origin", "file:///nowhere");
    expect(await descends(clone, first, second)).toBe(false);
  });
});
