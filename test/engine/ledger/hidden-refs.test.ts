import { execFileSync } from "node:child_process";
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { readCheckout } from "../../../src/engine/checkout/checkout.js";
import type { LedgerRecord } from "../../../src/engine/ledger/ledger.js";
import { openLedgerStore } from "../../../src/engine/ledger/open-ledger.js";
import { StoredLedger } from "../../../src/engine/ledger/stored-ledger.js";
import { NoticeBoard } from "../../../src/engine/notices.js";

const git = (folder: string, ...args: string[]) => execFileSync("git", ["-C", folder, ...args], { stdio: ["ignore", "pipe", "ignore"] });

function record(paths: readonly string[], commit = "c1"): LedgerRecord {
  const rows = Object.fromEntries(paths.map((path) => [path, { came: "made" as const }]));
  return { owner: "netops", target: "edge", commit, paths, rows, adopted: [], secrets: {} };
}

/** Machines with a clone each, of which one had a ledger in its local refs before there was a remote. */
function machines() {
  const bare = mkdtempSync(join(tmpdir(), "bare-"));
  git(bare, "init", "--quiet", "--bare");
  const clone = (): string => {
    const folder = mkdtempSync(join(tmpdir(), "clone-"));
    git(folder, "init", "--quiet");
    return folder;
  };
  const addRemote = (folder: string) => void git(folder, "remote", "add", "origin", bare);
  const storeIn = async (folder: string) => openLedgerStore(undefined, await readCheckout(folder), join(folder, "state"));
  return { clone, addRemote, storeIn, ledgerIn: async (folder: string) => new StoredLedger(await storeIn(folder)) };
}

async function pathsIn(ledger: StoredLedger): Promise<readonly string[]> {
  const state = await ledger.read("netops", "edge");
  return state.state === "present" ? state.record.paths : [state.state];
}

describe("a remote that is added after a ledger exists in the local refs", () => {
  it("hides nothing: the local ledger is used, moves to the remote with the next write, and is reported once", async () => {
    const { clone, addRemote, ledgerIn } = machines();
    const [first, second] = [clone(), clone()];
    await (await ledgerIn(first)).write(record(["/a", "/b"]));
    addRemote(first);
    addRemote(second);
    expect(await pathsIn(await ledgerIn(second))).toEqual(["missing"]);
    const ledger = await ledgerIn(first);
    expect(await ledger.read("netops", "edge")).toMatchObject({ state: "present", isUnwritten: true, record: { paths: ["/a", "/b"] } });
    await ledger.write(record(["/a"]));
    expect(await pathsIn(await ledgerIn(first))).toEqual(["/a"]);
    expect(await pathsIn(await ledgerIn(second))).toEqual(["/a"]);
    expect((await (await ledgerIn(first)).read("netops", "edge")) as object).not.toHaveProperty("isUnwritten");
  });

  it("does not delete rows of only one of the two ledgers until they are adopted", async () => {
    const { clone, addRemote, ledgerIn } = machines();
    const [first, second] = [clone(), clone()];
    await (await ledgerIn(first)).write(record(["/a", "/both"]));
    addRemote(second);
    await (await ledgerIn(second)).write(record(["/b", "/both"], "c2"));
    addRemote(first);
    const ledger = await ledgerIn(first);
    const state = await ledger.read("netops", "edge");
    expect(state).toMatchObject({
      isUnwritten: true,
      record: { paths: ["/a", "/b", "/both"], rows: { "/a": { came: "unclear" }, "/b": { came: "unclear" }, "/both": { came: "made" } } },
    });
    if (state.state === "present") await ledger.write(state.record);
    for (const folder of [first, second]) expect(await pathsIn(await ledgerIn(folder))).toEqual(["/a", "/b", "/both"]);
    await (await ledgerIn(second)).read("netops", "edge");
    const other = await ledgerIn(second);
    await other.read("netops", "edge");
    await other.write(record(["/both"]));
    expect(await pathsIn(await ledgerIn(first))).toEqual(["/both"]);
  });

  it("makes one of two parallel migrations read again", async () => {
    const { clone, addRemote, ledgerIn } = machines();
    const folder = clone();
    await (await ledgerIn(folder)).write(record(["/a"]));
    addRemote(folder);
    const [one, other] = [await ledgerIn(folder), await ledgerIn(folder)];
    for (const ledger of [one, other]) await ledger.read("netops", "edge");
    await one.write(record(["/a", "/one"]));
    await expect(other.write(record(["/a", "/other"]))).rejects.toMatchObject({ code: "ledger-conflict" });
    expect(await pathsIn(await ledgerIn(folder))).toEqual(["/a", "/one"]);
  });

  it("has copies that are no second ledger", async () => {
    const { clone, addRemote, ledgerIn } = machines();
    const folder = clone();
    addRemote(folder);
    const ledger = await ledgerIn(folder);
    await ledger.write(record(["/a", "/gone"]));
    git(folder, "fetch", "--quiet", "origin", "refs/plumbline/*:refs/plumbline/*");
    await ledger.write(record(["/a"]));
    expect(await pathsIn(await ledgerIn(folder))).toEqual(["/a"]);
  });

  it("of another owner is known, and an unreadable one prevents deletions", async () => {
    const { clone, addRemote, ledgerIn } = machines();
    const folder = clone();
    await (await ledgerIn(folder)).write({ ...record(["/theirs"]), owner: "others" });
    await (await ledgerIn(folder)).write(record(["/a"]));
    addRemote(folder);
    expect(await (await ledgerIn(folder)).foreign("netops", "edge")).toEqual(new Map([["/theirs", "others"]]));
    const ledger = await ledgerIn(folder);
    await ledger.read("netops", "edge");
    await ledger.write(record(["/a"]));
    const broken = git(folder, "commit-tree", "-m", "x", git(folder, "mktree").toString().trim()).toString().trim();
    git(folder, "update-ref", "refs/plumbline/netops/edge", broken);
    expect(await (await ledgerIn(folder)).read("netops", "edge")).toMatchObject({ state: "unreadable" });
  });

  it("has leftovers of earlier runs, such as a lease, that block no run", async () => {
    const { clone, addRemote, storeIn } = machines();
    const folder = clone();
    const key = { owner: "netops", target: ":lease:edge" };
    await (await storeIn(folder)).write(key, "of a run that is over", undefined);
    addRemote(folder);
    const store = await storeIn(folder);
    expect(await store.read(key)).toBeUndefined();
    await store.write(key, "ours", undefined);
    expect((await store.read(key))?.text).toBe("ours");
  });

  it("has an earlier pause that is still active until it is ended", async () => {
    const { clone, addRemote, storeIn } = machines();
    const folder = clone();
    const pause = { target: "edge", by: "alice", reason: "maintenance", since: 0, until: undefined };
    await new NoticeBoard(await storeIn(folder), "netops").pause(pause);
    addRemote(folder);
    const board = new NoticeBoard(await storeIn(folder), "netops");
    await board.pause({ ...pause, target: "core" });
    expect((await board.pauses(1)).map(({ target }) => target)).toEqual(["edge", "core"]);
    expect(await board.resume("edge")).toBe(true);
    expect((await board.pauses(1)).map(({ target }) => target)).toEqual(["core"]);
  });
});
