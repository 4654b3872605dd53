import { execFile } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { onTestFinished } from "vitest";
import { rooms } from "./rooms.js";

/** Configuration files of the compiler and the linters. */
const SETTINGS = [
  "package.json",
  "biome.json",
  ".oxlintrc.json",
  "tsconfig.json",
  "tsconfig.room.json",
  "tsconfig.build.json",
  ".gitignore",
];

/** A folder with this repository's settings and without its sources. Deleted after the test. */
export function emptyHouse(): string {
  const house = mkdtempSync(join(tmpdir(), "plumbline-house-"));
  onTestFinished(() => rmSync(house, { recursive: true, force: true }));
  for (const file of [...SETTINGS, ...[...rooms().keys()].map((room) => `src/${room}/tsconfig.json`)])
    cpSync(file, join(house, file), { recursive: true });
  symlinkSync(resolve("node_modules"), join(house, "node_modules"));
  return house;
}

/** Adds a file, with the folders above it. */
export function put(house: string, file: string, text: string): void {
  mkdirSync(dirname(join(house, file)), { recursive: true });
  writeFileSync(join(house, file), text);
}

/** Output and exit code of a tool of `node_modules/.bin` in `house`. */
export function run(house: string, tool: string, ...words: readonly string[]): Promise<{ readonly code: number; readonly said: string }> {
  return new Promise((done) => {
    const child = execFile(resolve("node_modules/.bin", tool), words, { cwd: house, maxBuffer: 1e8 }, (_, out, err) =>
      done({ code: child.exitCode ?? -1, said: out + err }),
    );
  });
}
