import { mkdirSync, mkdtempSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { pausesInFiles } from "../../src/agent/pause-files.js";

describe("pauses in files", () => {
  it("are none without a folder", async () => {
    expect(await pausesInFiles(mkdtempSync(join(tmpdir(), "state-")))).toEqual([]);
  });

  it("may be empty, contain reason and end, or be unreadable", async () => {
    const state = mkdtempSync(join(tmpdir(), "state-"));
    mkdirSync(join(state, "pause"));
    const write = (name: string, text: string) => {
      writeFileSync(join(state, "pause", name), text);
      utimesSync(join(state, "pause", name), 1000, 1000);
    };
    write("all", "");
    write("edge", "reason: exam\nby: ann\nfor: 2h\n");
    write("core", 'until: "2026-01-02T00:00:00Z"\n');
    write("broken", "reason: [");
    write("endless", "for: 999999999d\n");
    const found = new Map((await pausesInFiles(state)).map((pause) => [pause.target, pause]));
    expect(found.get(undefined)).toMatchObject({ until: undefined, since: 1_000_000 });
    expect(found.get("edge")).toMatchObject({ reason: "exam", by: "ann", until: 1_000_000 + 7_200_000 });
    expect(found.get("core")).toMatchObject({ until: Date.UTC(2026, 0, 2) });
    expect(found.get("broken")).toMatchObject({ until: undefined });
    expect(found.get("endless")).toMatchObject({ until: undefined });
  });
});
