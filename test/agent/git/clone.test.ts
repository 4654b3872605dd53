import { execFileSync } from "node:child_process";
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { Clone } from "../../../src/agent/git/clone.js";
import { describeCommit } from "../../../src/agent/git/describe.js";

const identity = ["-c", "user.name=Ann", "-c", "user.email=ann@example.com"];

function repository(): { folder: string; commit: (file: string, text: string) => string } {
  const folder = mkdtempSync(join(tmpdir(), "origin-"));
  const git = (...words: string[]) => execFileSync("git", ["-C", folder, ...identity, ...words], { encoding: "utf8" }).trim();
  git("init", "--quiet", "--initial-branch=main");
  return {
    folder,
    commit: (file, text) => {
      writeFileSync(join(folder, file), text);
      git("add", ".");
      git("commit", "--quiet", "-m", text);
      return git("rev-parse", "HEAD");
    },
  };
}

function clone(
  url: string,
  stateFolder = mkdtempSync(join(tmpdir(), "state-")),
  more: Partial<ConstructorParameters<typeof Clone>[0]> = {},
): Clone {
  return new Clone({
    access: { url, username: undefined, password: undefined },
    branch: undefined,
    tag: undefined,
    stateFolder,
    environment: process.env,
    stop: new AbortController().signal,
    ...more,
  });
}

describe("the agent's clone", () => {
  it("fetches, lists changed files, and keeps the active commit over restarts", async () => {
    const origin = repository();
    const first = origin.commit("a.yaml", "1");
    const state = mkdtempSync(join(tmpdir(), "state-"));
    const ours = clone(origin.folder, state);
    await ours.open();
    expect(await ours.inForce()).toBeUndefined();
    expect(await ours.fetch()).toMatchObject({ commit: first });
    expect(await describeCommit(ours, first)).toMatchObject({ author: "Ann", message: "1", at: expect.any(Number) });
    for (const none of ["0".repeat(40), "--all", "HEAD"]) expect(await describeCommit(ours, none)).toBeUndefined();
    await ours.checkout(first);
    await ours.activate({ commit: first, tag: undefined });
    const second = origin.commit("b ü.yaml", "2");
    expect(await ours.fetch()).toMatchObject({ commit: second });
    expect(await ours.changedFiles(first, second)).toEqual(["b ü.yaml"]);
    expect(await ours.descends(first, second)).toBe(true);
    const again = clone(origin.folder, state);
    await again.open();
    expect(await again.inForce()).toEqual({ commit: first, tag: undefined });
  });

  it("removes leftovers of a killed git and of an incomplete checkout", async () => {
    const origin = repository();
    const first = origin.commit("a.yaml", "1");
    const state = mkdtempSync(join(tmpdir(), "state-"));
    const ours = clone(origin.folder, state);
    await ours.open();
    await ours.fetch();
    await ours.checkout(first);
    writeFileSync(join(ours.folder, ".git", "index.lock"), "");
    writeFileSync(join(ours.folder, "left-over.yaml"), "target: edge");
    writeFileSync(join(ours.folder, "a.yaml"), "half");
    await ours.open();
    await ours.restore(first);
    expect((await ours.run(["status", "--porcelain"])).stdout).toBe("");
  });

  it("follows a tag, and reports a missing branch", async () => {
    const origin = repository();
    const first = origin.commit("a.yaml", "1");
    execFileSync("git", ["-C", origin.folder, ...identity, "tag", "-a", "-m", "v1", "v1"]);
    origin.commit("a.yaml", "2");
    const tagged = clone(origin.folder, undefined, { tag: "v1" });
    await tagged.open();
    expect(await tagged.fetch()).toMatchObject({ commit: first });
    const missing = clone(origin.folder, undefined, { branch: "nope" });
    await missing.open();
    await expect(missing.fetch()).rejects.toMatchObject({ code: "source-ref-missing" });
  });

  it("replaces a damaged clone", async () => {
    const origin = repository();
    const first = origin.commit("a.yaml", "1");
    const state = mkdtempSync(join(tmpdir(), "state-"));
    const ours = clone(origin.folder, state);
    await ours.open();
    await ours.fetch();
    writeFileSync(join(ours.folder, ".git", "HEAD"), "garbage");
    await ours.open();
    expect(await ours.fetch()).toMatchObject({ commit: first });
  });
});
