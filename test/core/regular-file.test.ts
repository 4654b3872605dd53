import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { FileRefused, readRegularFile } from "../../src/core/regular-file.js";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "plumbline-regular-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

it("reads a file, also through a link", async () => {
  writeFileSync(join(folder, "a"), "x".repeat(200_000));
  symlinkSync("a", join(folder, "b"));
  expect((await readRegularFile(join(folder, "b"), 200_000)).length).toBe(200_000);
});

it("refuses what is larger than allowed", async () => {
  writeFileSync(join(folder, "a"), "12345");
  await expect(readRegularFile(join(folder, "a"), 4)).rejects.toThrow(new FileRefused("has more than 4 bytes"));
});

it("refuses what says that it is empty and is not", async () => {
  await expect(readRegularFile("/proc/self/maps", 100)).rejects.toThrow(new FileRefused("has more than 100 bytes"));
});

it("waits for no pipe", async () => {
  execFileSync("mkfifo", [join(folder, "pipe")]);
  await expect(readRegularFile(join(folder, "pipe"), 10)).rejects.toThrow(new FileRefused("is no regular file"));
});

it("reads no device", async () => {
  await expect(readRegularFile("/dev/zero", 10)).rejects.toThrow(new FileRefused("is no regular file"));
});

it("refuses a folder", async () => {
  await expect(readRegularFile(folder, 10)).rejects.toThrow(FileRefused);
});

it("passes on what the system says of a file that is not there", async () => {
  await expect(readRegularFile(join(folder, "none"), 10)).rejects.toMatchObject({ code: "ENOENT" });
});
