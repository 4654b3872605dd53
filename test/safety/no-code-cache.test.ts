import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";

/** Ways to run text as a program, to load compiled code from a file, or to change how V8 runs code. */
const RUNS_CODE =
  /node:vm"|\bcachedData\b|enableCompileCache|NODE_COMPILE_CACHE|setFlagsFromString|new Function\(|\beval\(|process\.dlopen|register\(.*import\.meta/;

describe("the program", () => {
  it("stores no compiled code, evaluates no text and sets no V8 flag", () => {
    const files = ["src", "web", "packaging"].flatMap((folder) =>
      readdirSync(folder, { recursive: true, encoding: "utf8" }).map((name) => join(folder, name)),
    );
    const sources = files.filter((file) => /\.(ts|tsx|mjs)$/.test(file));
    expect(sources.length).toBeGreaterThan(500);
    expect(sources.filter((file) => RUNS_CODE.test(readFileSync(file, "utf8")))).toEqual([]);
  });
});
