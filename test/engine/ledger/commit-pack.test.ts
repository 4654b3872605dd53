import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { type Git, gitIn } from "../../../src/engine/checkout/git.js";
import { commitPack, type ObjectFormat, objectFormatOf } from "../../../src/engine/ledger/commit-pack.js";
import { GitStore } from "../../../src/engine/ledger/git-store.js";
import { VersionConflict } from "../../../src/engine/ledger/store.js";
import { afterTest } from "../../after-test.js";

const TIME = Date.UTC(2026, 10, 27, 12, 0, 0);

function repository(format: ObjectFormat, ...more: string[]) {
  const folder = mkdtempSync(join(tmpdir(), "commit-pack-"));
  afterTest(() => rmSync(folder, { recursive: true }));
  execFileSync("git", ["init", "-q", `--object-format=${format}`, ...more, folder]);
  const git = (...words: string[]) => execFileSync("git", words, { cwd: folder, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });
  // A bare repository is only used if it is named.
  const run: Git = more.includes("--bare") ? (args, input) => gitIn(folder)([`--git-dir=${folder}`, ...args], input) : gitIn(folder);
  return { folder, git, run };
}

const one = (text: string, parents: readonly string[] = []) => ({
  name: "a.json",
  text,
  parents,
  message: "Words\n\nMore: words",
  time: TIME,
});

describe.each(["sha1", "sha256"] as const)("a commit of one file in a pack, in a repository of %s", (format) => {
  it("is what git makes of the same, by the same id", async () => {
    const { git, run } = repository(format);
    const first = commitPack(one("1\n"), format);
    expect(await run(["unpack-objects", "-q", "--strict"], first.pack)).toMatchObject({ code: 0, stderr: "" });
    const second = commitPack(one("2\n", [first.id]), format);
    expect((await run(["unpack-objects", "-q", "--strict"], second.pack)).code).toBe(0);
    git("update-ref", "refs/heads/made", second.id);
    expect(git("log", "--format=%H %P|%an %ae %ct|%B", "made").trim()).toBe(
      [second, first]
        .map(({ id }, at) => `${id} ${at === 0 ? first.id : ""}|plumbline plumbline@localhost ${TIME / 1000}|Words\n\nMore: words\n`)
        .join("\n")
        .trim(),
    );
    expect(git("ls-tree", "-r", "made")).toMatch(/^100644 blob \S+\ta.json\n$/);
    expect(git("fsck", "--strict", "--no-dangling")).toBe("");
  });

  it("has its file whole, however long", async () => {
    const { git, run } = repository(format);
    for (const length of [0, 1, 15, 16, 2047, 2048, 262_143, 262_144]) {
      const text = "é".repeat(length >> 1) + "x".repeat(length & 1);
      const { id, pack } = commitPack(one(text), format);
      expect((await run(["unpack-objects", "-q", "--strict"], pack)).code).toBe(0);
      expect(git("cat-file", "blob", `${id}:a.json`)).toBe(text);
    }
  });

  it("is not made where the commit before it is not there", async () => {
    const { run } = repository(format);
    const missing = "1".repeat(commitPack(one(""), format).id.length);
    const { id, pack } = commitPack(one("2\n", [missing]), format);
    expect((await run(["unpack-objects", "-q", "--strict"], pack)).code).not.toBe(0);
    expect((await run(["cat-file", "-e", id])).code).not.toBe(0);
  });

  it.each([false, true])(
    "is how ledgers are written, one on another, and of two that begin at once one (a remote: %s)",
    async (hasRemote) => {
      const bare = repository(format, "--bare");
      const stores = [1, 2].map(() => {
        const { git, run, folder } = hasRemote ? repository(format) : bare;
        if (hasRemote) git("remote", "add", "origin", bare.folder);
        return { store: new GitStore(run, hasRemote ? "origin" : undefined), folder };
      });
      const [a, b] = stores.map(({ store }) => store) as [GitStore, GitStore];
      const key = { owner: "us", target: "edge" };
      const version = await a.write(key, "1\n", undefined);
      expect(objectFormatOf(version)).toBe(format);
      await expect(b.write(key, "other\n", undefined)).rejects.toThrow(VersionConflict);
      expect(await b.read(key)).toEqual({ text: "1\n", version });
      const next = await b.write(key, "2\n", version);
      await expect(a.write(key, "3\n", version)).rejects.toThrow(VersionConflict);
      expect(await a.read(key)).toEqual({ text: "2\n", version: next });
      expect(bare.git("log", "--format=%H", "refs/plumbline/us/edge").trim().split("\n")).toEqual([next, version]);
      expect(bare.git("fsck", "--strict", "--no-dangling")).toBe("");
    },
  );
});
