import { execFile } from "node:child_process";
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";

const run = promisify(execFile);
/** After these runs refuse what others would do. */
const DO_LESS = new Set(["guard", "prune-flag"]);
const soak = process.env.PLUMBLINE_SOAK !== undefined;

/** What compiling and testing read of a checkout; `dist` so that only what a patch changes is compiled anew. */
const PARTS = [
  ...["src", "test", "web", "schemas", "docs", "dist", "packaging", "bench"],
  ...["package.json", "tsconfig.json", "tsconfig.room.json", "tsconfig.build.json", "vitest.config.ts"],
];
const ROW = /^\| `([a-z-]+)` \| ([^|]*) \| ([^|]*) \| ([^|]*) ?\|$/gm;

interface Change {
  readonly name: string;
  /** Sources that may be touched; what stands in angle brackets is any name. */
  readonly sources: readonly string[];
  readonly documents: readonly string[];
}

const pathsIn = (cell: string): string[] => [...cell.matchAll(/`((?:src|web|docs)\/[^`]+)`/g)].map(([, path = ""]) => path);
const page = readFileSync("docs/architecture.md", "utf8");
const changes: readonly Change[] = [...(page.split("## To change X")[1] ?? "").matchAll(ROW)].map(
  ([, name = "", , sources = "", documents = ""]) => ({ name, sources: pathsIn(sources), documents: pathsIn(documents) }),
);

function isNamed(file: string, names: readonly string[]): boolean {
  return names.some((name) => new RegExp(`^${name.replaceAll(".", "\\.").replace(/<[a-z]+>/g, "[a-z-]+")}$`).test(file));
}

describe("docs/architecture.md, to change X", () => {
  it("names twelve changes, each with a patch", () => {
    const patches = readdirSync("test/changes").filter((file) => file.endsWith(".patch"));
    expect(changes.map(({ name }) => `${name}.patch`).sort()).toEqual(patches.sort());
    expect(changes).toHaveLength(12);
  });

  it.each(changes)("names at most two source files for $name", ({ sources }) => {
    expect([1, 2]).toContain(sources.length);
  });

  describe("holds", () => {
    let house = "";
    beforeAll(async () => {
      house = mkdtempSync(join(tmpdir(), "plumbline-changes-"));
      for (const part of PARTS) cpSync(part, join(house, part), { recursive: true, preserveTimestamps: true });
      symlinkSync(resolve("node_modules"), join(house, "node_modules"));
      await run("git", ["init", "-q", house]);
    });
    afterAll(() => rmSync(house, { recursive: true, force: true }));

    /** Runs a program of the house. @throws with all that it said, where it failed. */
    const inHouse = async (program: string, ...words: readonly string[]): Promise<string> => {
      const { PLUMBLINE_COUNTS: _, ...env } = process.env;
      const { stdout } = await run(program, words, { cwd: house, env, maxBuffer: 1e8 }).catch(
        (error: { stdout: string; stderr: string }) => {
          throw new Error(`${program} ${words.join(" ")}\n${error.stdout}${error.stderr}`);
        },
      );
      return stdout;
    };
    const patchOf = (name: string) => resolve("test/changes", `${name}.patch`);
    const testOf = (name: string) => `test/changes/${name}.test.ts`;

    it.each(changes)("no more than it lists, for $name", async ({ name, sources, documents }) => {
      const numbers = await inHouse("git", "apply", "--numstat", patchOf(name));
      const touched = numbers.split("\n").flatMap((line) => line.split("\t")[2] ?? []);
      const test = testOf(name);
      expect(touched.filter((file) => file !== test && !isNamed(file, [...sources, ...documents]))).toEqual([]);
      expect(touched.filter((file) => isNamed(file, sources)).length).toBeLessThanOrEqual(2);
      expect(touched).toContain(test);
    });

    let applied: readonly string[] = [];
    afterEach(async () => {
      for (const name of applied.toReversed()) await inHouse("git", "apply", "-R", patchOf(name));
      applied = [];
    });

    // To compile takes longest: what adds something is there at once, what makes runs do less also; each by itself in a soak.
    const all = changes.map(({ name }) => name);
    const groups = [all.filter((name) => !DO_LESS.has(name)), all.filter((name) => DO_LESS.has(name))];
    it.each(soak ? all.map((name) => [name]) : groups)("with $0", { timeout: 300_000 }, async (...names: string[]) => {
      for (const name of names) {
        await inHouse("git", "apply", patchOf(name));
        applied = [...applied, name];
      }
      await inHouse(process.execPath, "packaging/build.mjs");
      await inHouse("node_modules/.bin/tsc", "--noEmit", "--incremental", "--tsBuildInfoFile", "dist/types/check.tsbuildinfo");
      await inHouse("node_modules/.bin/tsc", "-p", "web", "--noEmit");
      expect(await inHouse("node_modules/.bin/vitest", "run", "--project", "tests", ...names.map(testOf))).toMatch(
        new RegExp(`\\n\\d+ passed, 0 failed, 0 skipped, in ${names.length} files`),
      );
    });
  });
});
