import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { type Git, gitIn } from "../../../src/engine/checkout/git.js";
import { GitStore } from "../../../src/engine/ledger/git-store.js";
import { SharedRefs } from "../../../src/engine/ledger/shared-refs.js";
import { VersionConflict } from "../../../src/engine/ledger/store.js";
import { afterTest } from "../../after-test.js";

const NAMES = Array.from({ length: 20 }, (_, at) => `fw${at}`);
const CONNECTIONS = new Set(["ls-remote", "fetch", "push"]);

/** A bare repository and a clone, whose git records the connections that it opens. */
function scene() {
  const folder = mkdtempSync(join(tmpdir(), "shared-refs-"));
  afterTest(() => rmSync(folder, { recursive: true }));
  const remote = join(folder, "origin.git");
  execFileSync("git", ["init", "--quiet", "--bare", remote]);
  const clone = (name: string): Git => {
    execFileSync("git", ["clone", "--quiet", remote, join(folder, name)], { stdio: "ignore" });
    return gitIn(join(folder, name));
  };
  const git = clone("ours");
  const opened: string[] = [];
  const counted: Git = async (args, input) => {
    const name = args[0] ?? "";
    if (CONNECTIONS.has(name)) opened.push(name);
    return await git(args, input);
  };
  const shared = new SharedRefs(counted, "origin");
  const store = new GitStore(counted, "origin", { age: 5_000, monotonic: () => performance.now() }, shared);
  return { remote, store, shared, opened, other: new GitStore(clone("theirs"), "origin") };
}

const key = (target: string) => ({ owner: "o", target });

/** Makes the remote run a script before it moves each ref. */
function hook(remote: string, name: string, script: string): void {
  const file = join(remote, "hooks", name);
  mkdirSync(join(remote, "hooks"), { recursive: true });
  writeFileSync(file, `#!/bin/sh\n${script}\n`);
  chmodSync(file, 0o755);
}

describe("ledgers of many targets in one repository", () => {
  it("are read by one connection and written by one push", async () => {
    const { store, opened } = scene();
    expect(await Promise.all(NAMES.map((name) => store.read(key(name))))).toEqual(NAMES.map(() => undefined));
    const versions = await Promise.all(NAMES.map((name) => store.write(key(name), `${name}\n`, undefined)));
    expect(opened).toEqual(["ls-remote", "push"]);
    expect(new Set(versions).size).toBe(20);
    expect(await Promise.all(NAMES.map((name) => store.read(key(name))))).toEqual(
      NAMES.map((name, at) => ({ text: `${name}\n`, version: versions[at] })),
    );
    expect(opened).toEqual(["ls-remote", "push"]);
  });

  it("are written together while a push runs, and a ref that waits twice is pushed twice", async () => {
    const { store, opened } = scene();
    const first = store.write(key("first"), "1\n", undefined);
    while (opened.length === 0) await new Promise(setImmediate);
    const [, version] = [store.write(key("second"), "1\n", undefined), await first];
    await Promise.all([
      ...NAMES.map((name) => store.write(key(name), "1\n", undefined)),
      store.write(key("first"), "2\n", version),
      expect(store.write(key("first"), "3\n", version)).rejects.toThrow(VersionConflict),
    ]);
    expect(opened.filter((name) => name === "push").length).toBeLessThanOrEqual(4);
    expect((await store.read(key("first")))?.text).toBe("2\n");
  });

  it("a conflict with another agent rejects one write and not the others of the push", async () => {
    const { store, other } = scene();
    const [a, b] = await Promise.all(["a", "b"].map((name) => store.write(key(name), "1\n", undefined)));
    const theirs = await other.write(key("a"), "theirs\n", a);
    const [first, second, third] = await Promise.allSettled([
      store.write(key("a"), "2\n", a),
      store.write(key("b"), "2\n", b),
      store.write(key("c"), "1\n", undefined),
    ]);
    expect(first).toMatchObject({ status: "rejected", reason: expect.any(VersionConflict) });
    expect([second.status, third.status]).toEqual(["fulfilled", "fulfilled"]);
    // The new base is read without waiting for the list to become old.
    expect(await store.read(key("a"))).toEqual({ text: "theirs\n", version: theirs });
    await store.write(key("a"), "3\n", theirs);
    expect((await other.read(key("a")))?.text).toBe("3\n");
  });

  it("a refusal of the remote for one target has its reason, and the others are written", async () => {
    const { remote, store } = scene();
    hook(remote, "update", 'case "$1" in */b) echo "b is frozen" >&2; exit 1;; esac');
    const [a, b] = await Promise.allSettled(["a", "b"].map((name) => store.write(key(name), "1\n", undefined)));
    expect(a?.status).toBe("fulfilled");
    expect(b).toMatchObject({ status: "rejected", reason: { message: expect.stringMatching(/hook declined[\s\S]*b is frozen/) } });
    expect(b?.status === "rejected" && b.reason).not.toBeInstanceOf(VersionConflict);
  });

  it("a hook that refuses a complete push because of one target does not stop the others", async () => {
    const { remote, store, opened } = scene();
    hook(remote, "pre-receive", 'while read -r old new ref; do case "$ref" in */b) echo "b is frozen" >&2; exit 1;; esac; done');
    const results = await Promise.allSettled(["a", "b", "c"].map((name) => store.write(key(name), "1\n", undefined)));
    expect(results.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "fulfilled"]);
    expect(results[1]).toMatchObject({ reason: { message: expect.stringMatching(/hook declined[\s\S]*b is frozen/) } });
    expect(opened.filter((name) => name === "push")).toHaveLength(4);
  });

  it("an unreachable remote fails every write with the reason of the push", async () => {
    const { remote, store } = scene();
    rmSync(remote, { recursive: true });
    const results = await Promise.allSettled(["a", "b"].map((name) => store.write(key(name), "1\n", undefined)));
    for (const result of results)
      expect(result).toMatchObject({
        status: "rejected",
        reason: { message: expect.stringMatching(/does not appear to be a git repository/) },
      });
    await expect(store.read(key("a"))).rejects.toThrow(/does not appear to be a git repository/);
  });

  it("a lost reply of a push is no failure", async () => {
    const { remote, store, opened } = scene();
    hook(remote, "post-receive", "kill -9 $PPID");
    const [a] = await Promise.all(["a", "b"].map((name) => store.write(key(name), "1\n", undefined)));
    expect(opened).toContain("push");
    expect((await store.read(key("a")))?.version).toBe(a);
  });

  it("notices are read from a list that begins after the call", async () => {
    const { store, shared, other } = scene();
    const running = shared.list();
    const version = await other.write(key("a"), "1\n", undefined);
    expect((await shared.list()).get("refs/plumbline/o/a")).toBe(version);
    await running;
    const next = await other.write(key("a"), "2\n", version);
    expect((await store.read(key("a")))?.version).toBe(version);
    expect((await shared.list()).get("refs/plumbline/o/a")).toBe(next);
  });
});
