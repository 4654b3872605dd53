import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { hostname, tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import fc from "fast-check";
import Database from "libsql";
import { afterAll, afterEach, beforeEach, describe, expect, it } from "vitest";
import { openStore } from "../../../src/agent/store/open.js";
import { T0 } from "./passes.js";

const WRITER = fileURLToPath(new URL("writer.mjs", import.meta.url));
const DEATHS = process.env.PLUMBLINE_SOAK === undefined ? 8 : 300;

const folders: string[] = [];
afterAll(() => folders.forEach((folder) => void rmSync(folder, { recursive: true })));
let file: string;
beforeEach(() => {
  const folder = mkdtempSync(join(tmpdir(), "plumbline-crash-"));
  folders.push(folder);
  file = join(folder, "plumbline.db");
});
const children: ChildProcess[] = [];
afterEach(() => children.splice(0).forEach((child) => void child.kill("SIGKILL")));

/** All data that the writer received is kept, up to its kill after a number of lines and milliseconds. */
async function killAfter(lines: number, milliseconds: number): Promise<{ started: number[]; finished: number[]; pid: number }> {
  const child = spawn(process.execPath, [WRITER, file], { stdio: ["ignore", "pipe", "inherit"] });
  children.push(child);
  let out = "";
  child.stdout.on("data", (text: Buffer) => {
    const before = out.split("\n").length;
    out += text.toString();
    if (before <= lines && out.split("\n").length > lines) setTimeout(() => child.kill("SIGKILL"), milliseconds);
  });
  await new Promise((done) => child.on("close", done));
  const ids = (word: string) => [...out.matchAll(new RegExp(`^${word} (\\d+)\\n`, "gm"))].map((match) => Number(match[1]));
  return { started: ids("started"), finished: ids("finished"), pid: child.pid ?? 0 };
}

describe("a store whose agent is killed", () => {
  it("has every confirmed record, and no partial one", { timeout: 3_600_000 }, async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 40 }), fc.integer({ min: 0, max: 20 }), async (lines, milliseconds) => {
        const { started, finished, pid } = await killAfter(lines, milliseconds);
        expect(started.length).toBeGreaterThan(0);
        const store = await openStore({ kind: "sqlite", file }, { readOnly: false });
        try {
          const claim = await store.claim({ host: "noc-1", pid: pid + 1, started: T0, version: "test" }, Date.now());
          const { entries } = await store.history.find({ limit: 1_000_000 });
          const passes = new Map(entries.filter(({ kind }) => kind === "pass").map((pass) => [pass.id, pass]));
          const operations = new Map<number, number>();
          for (const { kind, pass } of entries)
            if (kind === "operation" && pass !== undefined) operations.set(pass, (operations.get(pass) ?? 0) + 1);
          for (const id of started) expect(passes.has(id)).toBe(true);
          for (const id of finished) expect(passes.get(id)?.outcome).toBe("applied");
          for (const { id, outcome, ended } of passes.values()) {
            expect(operations.get(id) ?? 0).toBe(outcome === "applied" ? 20 : 0);
            expect(ended).toBeDefined();
          }
          expect([...passes.values()].filter(({ outcome, ended }) => outcome === "interrupted" && (ended ?? 0) > T0).length).toBeLessThan(
            DEATHS + 1,
          );
          await claim.release();
        } finally {
          await store.close();
        }
      }),
      { numRuns: DEATHS },
    );
    const check = new Database(file);
    expect(check.prepare("pragma integrity_check").all([])).toEqual([{ integrity_check: "ok" }]);
    check.close();
  });

  it("is refused while that agent lives, and free after its death", async () => {
    const child = spawn(process.execPath, [WRITER, file], { stdio: ["ignore", "pipe", "inherit"] });
    children.push(child);
    await new Promise((done) => child.stdout.once("data", done));
    const store = await openStore({ kind: "sqlite", file }, { readOnly: false });
    const runner = { host: "noc-1", pid: process.pid, started: T0, version: "test" };
    await expect(store.claim(runner, T0)).rejects.toThrow(`process ${child.pid} on ${hostname()}`);
    child.kill("SIGKILL");
    await new Promise((done) => child.once("exit", done));
    await (await store.claim(runner, T0)).release();
    await store.close();
  });
});
