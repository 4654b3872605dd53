import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { FileRefused, readRegularFile, readRegularFileSync } from "../../src/core/regular-file.js";

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

it("refuses a file over the size limit", async () => {
  writeFileSync(join(folder, "a"), "12345");
  await expect(readRegularFile(join(folder, "a"), 4)).rejects.toThrow(new FileRefused("has more than 4 bytes"));
});

it.each(["/proc/self/environ", "/proc/self/maps", "/sys/kernel/mm/transparent_hugepage/enabled"])(
  "refuses %s, also by a link",
  async (path) => {
    symlinkSync(path, join(folder, "link"));
    for (const each of [path, join(folder, "link")]) {
      await expect(readRegularFile(each, 1_000_000)).rejects.toThrow(new FileRefused("belongs to the kernel"));
      expect(() => readRegularFileSync(each, 1_000_000)).toThrow(new FileRefused("belongs to the kernel"));
    }
  },
);

it("reads and refuses the same files in its synchronous form", () => {
  writeFileSync(join(folder, "a"), "12345");
  execFileSync("mkfifo", [join(folder, "pipe")]);
  expect(readRegularFileSync(join(folder, "a"), 5).toString()).toBe("12345");
  expect(() => readRegularFileSync(join(folder, "a"), 4)).toThrow(new FileRefused("has more than 4 bytes"));
  for (const path of [join(folder, "pipe"), "/dev/zero", folder])
    expect(() => readRegularFileSync(path, 4)).toThrow(new FileRefused("is not a regular file"));
});

it("does not wait for a pipe", async () => {
  execFileSync("mkfifo", [join(folder, "pipe")]);
  await expect(readRegularFile(join(folder, "pipe"), 10)).rejects.toThrow(new FileRefused("is not a regular file"));
});

it("does not read a device file", async () => {
  await expect(readRegularFile("/dev/zero", 10)).rejects.toThrow(new FileRefused("is not a regular file"));
});

it("refuses a folder", async () => {
  await expect(readRegularFile(folder, 10)).rejects.toThrow(FileRefused);
});

it("reports the system's error for a missing file", async () => {
  await expect(readRegularFile(join(folder, "none"), 10)).rejects.toMatchObject({ code: "ENOENT" });
});
