import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { withFileLock } from "../../src/core/file-lock.js";
import { afterTest } from "../after-test.js";

function file(): string {
  const folder = mkdtempSync(join(tmpdir(), "file-lock-"));
  afterTest(() => rmSync(folder, { recursive: true, force: true }));
  return join(folder, "counter");
}

it("serialises reading and replacing a file", async () => {
  const at = file();
  writeFileSync(at, "0");
  const add = () =>
    withFileLock(at, async () => {
      const before = Number(readFileSync(at, "utf8"));
      await new Promise(setImmediate);
      writeFileSync(at, String(before + 1));
    });
  await Promise.all(Array.from({ length: 20 }, add));
  expect(readFileSync(at, "utf8")).toBe("20");
});

it("is released if the work fails", async () => {
  const at = file();
  await expect(withFileLock(at, () => Promise.reject(new Error("no")))).rejects.toThrow("no");
  expect(existsSync(`${at}.held`)).toBe(false);
});

it("waits for the lock of a killed process, and removes it after ten seconds", async () => {
  const at = file();
  writeFileSync(`${at}.held`, "a-1");
  let now = 0;
  const sleep = async () => {
    now += 1000;
  };
  const clock = { now: () => now, sleep };
  await Promise.all([1, 2].map(() => withFileLock(at, async () => expect(readFileSync(`${at}.held`, "utf8")).not.toBe("a-1"), clock)));
  expect(now).toBeGreaterThan(10_000);
  expect(readdirSync(join(at, ".."))).toEqual([]);
});
