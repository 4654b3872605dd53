import { execFileSync } from "node:child_process";
import { appendFileSync, mkdirSync, mkdtempSync, realpathSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { readCheckout } from "../../src/engine/checkout/checkout.js";
import { type Rollback, rollBack } from "../../src/engine/rollback.js";
import { kinds } from "../../src/targets/registry.js";
import { addresses } from "../agent/world.js";

const identity = {
  GIT_AUTHOR_NAME: "Ann",
  GIT_AUTHOR_EMAIL: "a@example.com",
  GIT_COMMITTER_NAME: "Ann",
  GIT_COMMITTER_EMAIL: "a@example.com",
};
/** Files that run in this worker after this one must not commit as Ann. */
beforeAll(() => {
  Object.assign(process.env, identity);
});
afterAll(() => {
  for (const name of Object.keys(identity)) delete process.env[name];
});

function repository() {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "rollback-")));
  const git = (...words: string[]) =>
    execFileSync("git", ["-C", folder, ...words], { encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] }).trim();
  git("init", "--quiet", "--initial-branch=main");
  mkdirSync(join(folder, "edge"));
  writeFileSync(join(folder, "tree.xml"), "<config/>");
  writeFileSync(
    join(folder, "plumbline.yaml"),
    "format: 1\nowner: o\ndocuments: [edge]\ntargets: { edge: { kind: memory, file: tree.xml } }\n",
  );
  const want = (entries: Readonly<Record<string, string>>, message: string) => {
    writeFileSync(join(folder, "edge", "a.yaml"), addresses("edge", entries));
    git("add", ".");
    git("commit", "--quiet", "-m", message);
    return git("rev-parse", "HEAD");
  };
  const roll = async (commit: string, push = false): Promise<Rollback> =>
    await rollBack({
      checkout: await readCheckout(folder),
      configurationFile: join(folder, "plumbline.yaml"),
      commit,
      push,
      load: { environment: {}, kinds, today: "2026-01-01" },
    });
  const text = () => execFileSync("cat", [join(folder, "edge", "a.yaml")], { encoding: "utf8" });
  return { folder, git, want, roll, text };
}

describe("rollback", () => {
  it("writes a commit that reverts another, and pushes it on request", async () => {
    const { folder, git, want, roll, text } = repository();
    const bare = mkdtempSync(join(tmpdir(), "bare-"));
    execFileSync("git", ["init", "--quiet", "--bare", bare]);
    want({ a: "10.0.0.1" }, "first");
    const second = want({ a: "10.0.0.2" }, "second");
    git("remote", "add", "origin", bare);
    const { revert, subject, pushed } = await roll(second.slice(0, 10), true);
    expect(subject).toBe('Revert "second"');
    expect(pushed).toBe("origin/main");
    expect(git("rev-parse", "HEAD")).toBe(revert);
    expect(execFileSync("git", ["-C", bare, "rev-parse", "main"], { encoding: "utf8" }).trim()).toBe(revert);
    expect(text()).toBe(addresses("edge", { a: "10.0.0.1" }));
    expect(git("status", "--porcelain")).toBe("");
    expect(git("worktree", "list").split("\n")).toHaveLength(1);
    expect(folder).toBe(git("rev-parse", "--show-toplevel"));
  });

  it("reverts a merge towards the branch that it was merged into", async () => {
    const { git, want, roll, text } = repository();
    want({ a: "10.0.0.1" }, "first");
    git("checkout", "--quiet", "-b", "side");
    want({ a: "10.0.0.2" }, "side");
    git("checkout", "--quiet", "main");
    git("merge", "--quiet", "--no-ff", "-m", "merge", "side");
    await roll("HEAD");
    expect(text()).toBe(addresses("edge", { a: "10.0.0.1" }));
  });

  it.each([
    ["a conflict", "rollback-conflict"],
    ["an unknown commit", "rollback-not-possible"],
    ["uncommitted work", "rollback-not-possible"],
    ["a state that does not load", "configuration-not-found"],
  ])("leaves everything as it is at %s", async (what, code) => {
    const { folder, git, want, roll } = repository();
    const first = want({ a: "10.0.0.1" }, "first");
    const second = want({ a: "10.0.0.2" }, "second");
    want({ a: "10.0.0.3" }, "third");
    if (what === "uncommitted work") writeFileSync(join(folder, "edge", "b.yaml"), "x");
    const commit =
      what === "a conflict" ? second : what === "an unknown commit" ? "0".repeat(40) : what === "uncommitted work" ? "HEAD" : first;
    if (what === "a state that does not load") git("reset", "--quiet", "--hard", first);
    const head = git("rev-parse", "HEAD");
    const error = (await roll(commit).catch((cause: unknown) => cause)) as { code?: string; errors?: { code: string }[] };
    const codes = error.errors?.map((each) => each.code) ?? [error.code];
    expect(codes).toEqual(what === "a state that does not load" ? [code, "rollback-not-possible"] : [code]);
    expect(git("rev-parse", "HEAD")).toBe(head);
    expect(git("worktree", "list").split("\n")).toHaveLength(1);
  });

  /** Everything that a person would miss. */
  function everything(git: (...words: string[]) => string): string[] {
    return [git("rev-parse", "HEAD"), git("status", "--porcelain"), git("worktree", "list"), git("for-each-ref")];
  }

  it("names the files and later commits of a conflict", async () => {
    const { git, want, roll } = repository();
    want({ a: "10.0.0.1" }, "first");
    const second = want({ a: "10.0.0.2" }, "second");
    want({ a: "10.0.0.3" }, "third, that is in the way");
    const before = everything(git);
    await expect(roll(second)).rejects.toMatchObject({
      code: "rollback-conflict",
      message: expect.stringMatching(/of edge\/a\.yaml as .*: [0-9a-f]+ third, that is in the way\.$/),
    });
    expect(everything(git)).toEqual(before);
  });

  it("reverts a merge that had conflicts, and then the commits before it", async () => {
    const { git, want, roll, text } = repository();
    want({ a: "10.0.0.1" }, "first");
    git("checkout", "--quiet", "-b", "side");
    want({ a: "10.0.0.2" }, "side");
    git("checkout", "--quiet", "main");
    const ours = want({ a: "10.0.0.3" }, "ours");
    expect(() => git("merge", "--quiet", "--no-ff", "side")).toThrow();
    const merge = want({ a: "10.0.0.4" }, "merged by hand");
    await expect(roll(ours)).rejects.toMatchObject({ code: "rollback-conflict" });
    await roll(merge);
    expect(text()).toBe(addresses("edge", { a: "10.0.0.3" }));
    await roll(ours);
    expect(text()).toBe(addresses("edge", { a: "10.0.0.1" }));
  });

  it("changes nothing if the remote has newer commits, or there is no branch to push", async () => {
    const { folder, git, want, roll } = repository();
    want({ a: "10.0.0.1" }, "first");
    const bare = mkdtempSync(join(tmpdir(), "bare-"));
    execFileSync("git", ["clone", "--quiet", "--bare", folder, bare]);
    git("remote", "add", "origin", bare);
    want({ a: "10.0.0.2" }, "second");
    git("push", "--quiet", "origin", "main");
    const third = want({ a: "10.0.0.3" }, "third");
    git("push", "--quiet", "origin", "main");
    git("reset", "--quiet", "--hard", "HEAD~1");
    const before = everything(git);
    await expect(roll("HEAD", true)).rejects.toMatchObject({ code: "rollback-failed", next: expect.stringContaining("git pull --rebase") });
    git("checkout", "--quiet", "--detach");
    await expect(roll("HEAD", true)).rejects.toMatchObject({ code: "rollback-not-possible" });
    git("checkout", "--quiet", "main");
    expect(everything(git)).toEqual(before);
    expect(execFileSync("git", ["-C", bare, "rev-parse", "main"], { encoding: "utf8" }).trim()).toBe(third);
  });

  it("pushes to the upstream of the local branch", async () => {
    const { git, want, roll } = repository();
    const bare = mkdtempSync(join(tmpdir(), "bare-"));
    execFileSync("git", ["init", "--quiet", "--bare", bare]);
    git("remote", "add", "origin", bare);
    want({ a: "10.0.0.1" }, "first");
    want({ a: "10.0.0.2" }, "second");
    git("push", "--quiet", "origin", "main:live");
    git("fetch", "--quiet", "origin");
    git("branch", "--quiet", "--set-upstream-to=origin/live");
    const { revert, pushed } = await roll("HEAD", true);
    expect(pushed).toBe("origin/live");
    expect(execFileSync("git", ["-C", bare, "for-each-ref", "--format=%(refname) %(objectname)"], { encoding: "utf8" })).toBe(
      `refs/heads/live ${revert}\n`,
    );
  });

  it("refuses if history is cut at the commit: git would treat it as the first one", async () => {
    const { folder, want } = repository();
    want({ a: "10.0.0.1" }, "first");
    const second = want({ b: "10.0.0.2" }, "second");
    want({ b: "10.0.0.2", c: "10.0.0.3" }, "third");
    const cut = join(realpathSync(mkdtempSync(join(tmpdir(), "cut-"))), "clone");
    execFileSync("git", ["clone", "--quiet", "--depth=2", `file://${folder}`, cut]);
    const options = { configurationFile: join(cut, "plumbline.yaml"), push: false, load: { environment: {}, kinds, today: "2026-01-01" } };
    await expect(rollBack({ ...options, checkout: await readCheckout(cut), commit: second })).rejects.toMatchObject({
      code: "rollback-not-possible",
      next: expect.stringContaining("--unshallow"),
    });
    await rollBack({ ...options, checkout: await readCheckout(cut), commit: "HEAD" });
  });

  it("reports a missing name, and a missing signature", async () => {
    const { folder, git, want, roll } = repository();
    want({ a: "10.0.0.1" }, "first");
    want({ a: "10.0.0.2" }, "second");
    const before = everything(git);
    git("config", "user.useConfigOnly", "true");
    for (const name of Object.keys(identity)) delete process.env[name];
    const global = process.env.GIT_CONFIG_GLOBAL;
    process.env.GIT_CONFIG_GLOBAL = "/dev/null";
    try {
      await expect(roll("HEAD")).rejects.toMatchObject({
        code: "rollback-failed",
        message: expect.stringMatching(/identity|user\.name|email/),
      });
    } finally {
      Object.assign(process.env, identity);
      if (global === undefined) delete process.env.GIT_CONFIG_GLOBAL;
      else process.env.GIT_CONFIG_GLOBAL = global;
    }
    expect(everything(git)).toEqual(before);
    expect((await roll("HEAD")).needsSignature).toBe(false);
    const file = join(folder, "plumbline.yaml");
    appendFileSync(file, "agent: { source: { signatures: { require: ssh } } }\n");
    git("commit", "--quiet", "-a", "-m", "signed from now on");
    want({ a: "10.0.0.5" }, "to be taken back");
    expect((await roll("HEAD")).needsSignature).toBe(true);
  });
});
