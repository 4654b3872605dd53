import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { decodeRecord, encodeRecord } from "../../src/engine/ledger/codec.js";
import type { LedgerRecord } from "../../src/engine/ledger/ledger.js";
import type { OpenWatch } from "../../src/engine/watch/open-watch.js";
import { exitCode } from "../../src/outcome/outcome.js";
import type { OwnershipRow } from "../../src/plan/ownership-record.js";
import { ADDRESS, addresses, addressesOf, BARE } from "../engine/apply/scenes.js";
import { World } from "../engine/apply/world.js";

// A pusher of `refs/plumbline/*` can write any row. A row only allows the deletion of objects that an accepted commit declared.

const at = (name: string): string => `${ADDRESS}/entry[@name='${name}']`;

/** A world in a git repository, whose device has an address that no document declares: theirs. */
function inGit() {
  const world = new World(BARE);
  const git = (...words: string[]): string =>
    execFileSync("git", ["-C", world.folder, "-c", "user.name=ann", "-c", "user.email=a@b", ...words], { encoding: "utf8" }).trim();
  git("init", "--quiet", "--initial-branch=main");
  writeFileSync(join(world.folder, ".gitignore"), "/state\n/ledger.json\n");
  const commit = (wanted: Record<string, string>): string => {
    world.want(addresses(wanted));
    git("add", ".");
    git("commit", "--quiet", "--allow-empty", "--message", "wanted");
    return git("rev-parse", "HEAD");
  };
  const file = join(world.folder, "ledger.json");
  const read = (): { ledgers: Record<string, Record<string, string>> } => JSON.parse(readFileSync(file, "utf8"));
  const record = (): LedgerRecord => decodeRecord(read().ledgers["netops-edge"]?.edge ?? "");
  const forge = (change: (record: LedgerRecord) => Partial<LedgerRecord>): void => {
    const all = read();
    const before = record();
    all.ledgers["netops-edge"] = { edge: encodeRecord({ ...before, ...change(before) }) };
    writeFileSync(file, JSON.stringify(all));
  };
  /** Adds a row for the address of the other administrator. */
  const forgeRow = (row: OwnershipRow, more: Partial<LedgerRecord> = {}): void =>
    forge((before) => ({
      paths: [...before.paths, at("theirs")].sort(),
      rows: { ...before.rows, [at("theirs")]: row },
      ...more,
    }));
  return { world, git, commit, forge, forgeRow, record };
}

const LEFT = { theirs: "192.0.2.9" };

describe("a forged row of the ledger", () => {
  const rows: readonly (readonly [string, (scene: ReturnType<typeof inGit>, first: string) => OwnershipRow])[] = [
    ["without a commit", () => ({ came: "made", run: "x" })],
    ["with a commit that does not exist", () => ({ came: "made", run: "x", commit: "0123456789012345678901234567890123456789" })],
    ["with a text that is no commit", () => ({ came: "adopted", run: "x", commit: "HEAD" })],
    ["with an accepted commit that does not declare it", (_, first) => ({ came: "made", run: "x", commit: first })],
    [
      "with a commit of another branch that declares it",
      ({ world, git, commit }) => {
        git("checkout", "--quiet", "-b", "other");
        const other = commit({ a: "10.0.0.1", ...LEFT });
        git("checkout", "--quiet", "main");
        world.want(addresses({ a: "10.0.0.1" }));
        return { came: "made", run: "x", commit: other };
      },
    ],
  ];

  it.each(rows)("%s deletes nothing", async (_, row) => {
    const scene = inGit();
    const first = scene.commit({ a: "10.0.0.1" });
    expect((await scene.world.reconcile()).error).toBeUndefined();
    scene.forgeRow(row(scene, first));
    for (let pass = 1; pass <= 2; pass++) {
      const outcome = await scene.world.reconcile();
      expect(outcome.error).toBeUndefined();
      expect(outcome.plan?.findings).toMatchObject([
        { kind: "only-found", message: expect.stringContaining("so Plumbline does not delete it") },
      ]);
      expect(addressesOf(scene.world.device.running)).toEqual({ a: "10.0.0.1", ...LEFT });
    }
    expect(exitCode([await scene.world.plan()])).toBe(0);
  });

  it("deletes nothing if the ledger also names another last commit", async () => {
    const scene = inGit();
    scene.commit({ a: "10.0.0.1" });
    await scene.world.reconcile();
    scene.git("checkout", "--quiet", "-b", "other");
    const other = scene.commit({ a: "10.0.0.1", ...LEFT });
    scene.git("checkout", "--quiet", "main");
    scene.world.want(addresses({ a: "10.0.0.1" }));
    scene.forgeRow({ came: "made" }, { commit: other });
    await scene.world.reconcile();
    expect(addressesOf(scene.world.device.running)).toMatchObject(LEFT);
  });

  it("does not pass the guard of first contact with an exclusive list", async () => {
    const scene = inGit();
    scene.commit({ a: "10.0.0.1" });
    await scene.world.reconcile();
    scene.forgeRow({ came: "made", run: "x" });
    scene.world.want(addresses({ a: "10.0.0.1" }).replace("config:", "owns:\n  address: exclusive\nconfig:"));
    scene.git("add", ".");
    scene.git("commit", "--quiet", "-m", "exclusive");
    const outcome = await scene.world.reconcile();
    expect(addressesOf(scene.world.device.running)).toMatchObject(LEFT);
    expect(outcome.plan?.refusals.map(({ guard }) => guard) ?? [outcome.error?.code]).not.toEqual([]);
  });

  it("of a request without a reply deletes nothing", async () => {
    const scene = inGit();
    scene.commit({ ...LEFT });
    await scene.world.reconcile();
    const print = scene.record().rows?.[at("theirs")]?.print ?? "";
    const other = inGit();
    other.commit({ a: "10.0.0.1" });
    await other.world.reconcile();
    const day = new Date(other.world.now).toISOString().slice(0, 10);
    other.forge(() => ({ unanswered: { [at("theirs")]: `${day} ${print}` } }));
    await other.world.reconcile();
    expect(addressesOf(other.world.device.running)).toMatchObject(LEFT);
  });
});

describe("a forged open check of a commit", () => {
  const watchOf = (more: Partial<OpenWatch>): OpenWatch => ({
    run: "host:1:a:0",
    digest: "0".repeat(64),
    commit: undefined,
    operations: "0".repeat(64),
    checks: { watches: [], probes: [] },
    snapshot: "plumbline-before-0123456789ab",
    written: [],
    description: "x",
    asked: "2026/01/01 00:00:00",
    baseline: [],
    before: { commit: undefined, added: [], adopted: [], secrets: {} },
    ...more,
  });

  it.each([
    [
      "probes another address",
      { checks: { watches: [], probes: [{ kind: "tcp", host: "192.0.2.77", port: 22, timeout: 1, attempts: 1 }] } },
    ],
    ["names another saved configuration", { snapshot: "before-migration.xml" }],
  ] as const)("that %s is refused, and adopt ends it", async (_, more) => {
    const scene = inGit();
    const commit = scene.commit({ a: "10.0.0.1" });
    await scene.world.reconcile();
    scene.forge(() => ({ watch: watchOf({ ...more, commit }) }));
    const before = scene.world.device.events.length;
    expect((await scene.world.reconcile()).error).toMatchObject({ code: "watch-unproven", severity: "refused" });
    expect(scene.world.device.events.slice(before)).toEqual([]);
    await scene.world.adopt();
    expect((await scene.world.reconcile()).error).toBeUndefined();
  });

  it("that is pushed while a run waits for its lock is refused as well", async () => {
    const scene = inGit();
    scene.commit({ a: "10.0.0.1" });
    await scene.world.reconcile();
    const commit = scene.commit({ a: "10.0.0.2" });
    const forgeNow = async (step: string): Promise<void> => {
      if (step === "lock") scene.forge(() => ({ watch: watchOf({ snapshot: "before-migration.xml", commit }) }));
    };
    const outcome = await scene.world.reconcile({ observer: { before: async () => undefined, after: forgeNow } });
    expect(outcome.error).toMatchObject({ code: "watch-unproven" });
    expect(addressesOf(scene.world.device.running)).toMatchObject({ a: "10.0.0.1" });
  });

  it("never makes a run remove a configuration that runs did not save", async () => {
    const scene = inGit();
    scene.commit({ a: "10.0.0.1" });
    await scene.world.reconcile();
    scene.forge(() => ({ snapshots: { "before-migration.xml": "host:1:a:0" } }));
    scene.commit({ a: "10.0.0.2" });
    scene.world.device.saved.set("before-migration.xml", scene.world.device.running);
    expect((await scene.world.reconcile()).error).toBeUndefined();
    expect([...scene.world.device.saved.keys()]).toEqual(["before-migration.xml"]);
  });
});

describe("a true row of the ledger", () => {
  it("deletes what a former commit declared, also after other commits", async () => {
    const scene = inGit();
    scene.commit({ a: "10.0.0.1", b: "10.0.0.2" });
    await scene.world.reconcile();
    scene.commit({ a: "10.0.0.3", b: "10.0.0.2" });
    await scene.world.reconcile();
    scene.commit({ a: "10.0.0.3" });
    expect((await scene.world.reconcile()).error).toBeUndefined();
    expect(addressesOf(scene.world.device.running)).toEqual({ a: "10.0.0.3", ...LEFT });
  });

  it("deletes what was first applied from a branch that was squashed since", async () => {
    const scene = inGit();
    scene.commit({ a: "10.0.0.1" });
    await scene.world.reconcile();
    scene.git("checkout", "--quiet", "-b", "feature");
    scene.commit({ a: "10.0.0.1", b: "10.0.0.2" });
    await scene.world.reconcile();
    scene.git("checkout", "--quiet", "main");
    scene.git("merge", "--quiet", "--squash", "feature");
    scene.git("commit", "--quiet", "-m", "squashed");
    await scene.world.reconcile();
    scene.commit({ a: "10.0.0.1" });
    expect((await scene.world.reconcile()).error).toBeUndefined();
    expect(addressesOf(scene.world.device.running)).toEqual({ a: "10.0.0.1", ...LEFT });
  });

  it("deletes what was adopted", async () => {
    const scene = inGit();
    scene.commit({ a: "10.0.0.1", ...LEFT });
    await scene.world.adopt();
    await scene.world.reconcile();
    scene.commit({ a: "10.0.0.1" });
    expect((await scene.world.reconcile()).error).toBeUndefined();
    expect(addressesOf(scene.world.device.running)).toEqual({ a: "10.0.0.1" });
  });
});
