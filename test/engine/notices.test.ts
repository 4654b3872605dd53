import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { FolderStore } from "../../src/engine/ledger/folder-store.js";
import { NoticeBoard } from "../../src/engine/notices.js";
import type { Pause } from "../../src/engine/pause.js";

function boards() {
  const folder = mkdtempSync(join(tmpdir(), "notices-"));
  return { folder, ours: new NoticeBoard(new FolderStore(folder), "netops"), theirs: new NoticeBoard(new FolderStore(folder), "secops") };
}

const pause = (target: string | undefined, until?: number): Pause => ({ target, reason: "r", by: "ann", since: 0, until });

describe("the notice board", () => {
  it("pauses a target for every owner, until its end or until somebody resumes it", async () => {
    const { ours, theirs } = boards();
    await ours.pause(pause("edge", 100));
    await expect(theirs.refusePaused("edge", 99)).rejects.toMatchObject({ code: "paused", severity: "refused" });
    await theirs.refusePaused("edge", 100);
    await theirs.refusePaused("core", 99);
    expect(await theirs.resume("edge")).toBe(true);
    expect(await theirs.resume("edge")).toBe(false);
    await ours.refusePaused("edge", 99);
  });

  it("pauses all targets at once, and keeps one pause a target", async () => {
    const { ours } = boards();
    await ours.pause(pause(undefined));
    await ours.pause(pause("edge", 10));
    await ours.pause(pause("edge", 20));
    expect(await ours.pauses(15)).toHaveLength(2);
    await expect(ours.refusePaused("anything", 10 ** 15)).rejects.toMatchObject({ code: "paused" });
  });

  it("loses no note when two write at once", async () => {
    const { ours, folder } = boards();
    const again = new NoticeBoard(new FolderStore(folder), "netops");
    await ours.pause(pause("first"));
    await Promise.all([ours.pause(pause("a")), again.pause(pause("b"))]).catch(() => undefined);
    expect((await ours.pauses(0)).map(({ target }) => target)).toContain("first");
  });

  it("keeps approvals by target and digest, the newest of them", async () => {
    const { ours, theirs } = boards();
    for (let i = 0; i < 205; i++) await ours.approve({ target: "edge", digest: String(i), by: "ann", at: i, source: undefined });
    expect(await theirs.approval("edge", "204")).toMatchObject({ by: "ann" });
    expect(await theirs.approval("core", "204")).toBeUndefined();
    expect(await theirs.approval("edge", "0")).toBeUndefined();
  });

  it("refuses to let a run write when it cannot be read", async () => {
    const { folder } = boards();
    const store = new FolderStore(folder);
    await store.write({ owner: "netops", target: ":notices" }, "{", undefined);
    await expect(new NoticeBoard(store, "secops").refusePaused("edge", 0)).rejects.toMatchObject({
      code: "notices-unreadable",
      severity: "refused",
    });
  });
});
