import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { readCheckout } from "../src/checkout.js";
import { type Rollback, rollBack } from "../src/rollback.js";
import { kinds } from "../src/targets.js";
import { addresses } from "./agent/world.js";

const identity = {
  GIT_AUTHOR_NAME: "Ann",
  GIT_AUTHOR_EMAIL: "a@example.com",
  GIT_COMMITTER_NAME: "Ann",
  GIT_COMMITTER_EMAIL: "a@example.com",
};
Object.assign(process.env, identity);

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
  it("writes a commit that takes another back, and pushes it when told", async () => {
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

  it("takes a merge back towards the branch that it went into", async () => {
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
    expect(error.errors?.map((each) => each.code) ?? [error.code]).toEqual([code]);
    expect(git("rev-parse", "HEAD")).toBe(head);
    expect(git("worktree", "list").split("\n")).toHaveLength(1);
  });
});
