import { mkdtempSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { Journal, type JournalLine } from "../../../src/engine/apply/journal.js";

function journal(): Journal {
  return new Journal(mkdtempSync(join(tmpdir(), "state-")), "netops", "edge");
}

function line(event: JournalLine["event"], run = "run-1"): JournalLine {
  return { run, time: "2026-01-02T03:04:05.000Z", event, digest: "00" };
}

describe("the journal", () => {
  it("is empty at first", async () => {
    expect(await journal().unfinished()).toBeUndefined();
  });

  it("shows a run that started and did not end", async () => {
    const book = journal();
    await book.append(line("begin"));
    await book.append(line("write"));
    expect(await book.unfinished()).toMatchObject({ run: "run-1", event: "begin" });
    await book.append(line("end"));
    expect(await book.unfinished()).toBeUndefined();
    await book.append(line("begin", "run-2"));
    expect(await book.unfinished()).toMatchObject({ run: "run-2" });
  });

  it("skips a line that a crash truncated", async () => {
    const book = journal();
    await book.append(line("begin"));
    writeFileSync(book.file, `${readFileSync(book.file, "utf8")}{"run":"run-1","ti`);
    expect(await book.unfinished()).toMatchObject({ run: "run-1" });
  });

  it("is readable only by this user, and deleted when cleared", async () => {
    const book = journal();
    await book.append(line("begin"));
    expect(statSync(book.file).mode & 0o777).toBe(0o600);
    await book.clear();
    await book.clear();
    expect(await book.unfinished()).toBeUndefined();
  });
});
