import { execFile } from "node:child_process";
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { leaveOut } from "../left-out.js";

const run = promisify(execFile);
/** Seconds. */
const HOUR = 3_600;

let home: string;
let folder: string;
const files = () => readdirSync(folder).map((name) => join(folder, name));
const only = (): string => {
  const [file, ...others] = files();
  expect(others).toEqual([]);
  return file ?? "nothing is kept";
};

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), "plumbline-compiled-"));
  folder = join(home, "kept");
});
afterEach(() => rmSync(home, { recursive: true }));

/** What a script says that a process of its own runs, as the packed program does. */
async function said(body: string, of: { digest?: string; use?: string; in?: string } = {}): Promise<string> {
  const file = join(home, "script.js");
  const text = `(function (exports, require, module, importMetaUrl) { ${body} })`;
  // Another process may be about to read it.
  if (!existsSync(file) || readFileSync(file, "utf8") !== text) writeFileSync(file, text);
  const { digest = "d1", use = "plan" } = of;
  const given = JSON.stringify({ file, digest, use, folder: of.in ?? folder });
  const starting = `import { runCompiled } from ${JSON.stringify(pathToFileURL(resolve("dist/cli/compiled-script.js")).href)}; console.log(runCompiled(${given}).answer);`;
  const { stdout } = await run(process.execPath, ["--input-type=module", "--eval", starting]);
  return stdout.trim();
}

/** A file is last written `seconds` ago. */
function aged(file: string, seconds: number): void {
  const then = Date.now() / 1000 - seconds;
  utimesSync(file, then, then);
}

const ANSWERS = "exports.answer = (function deep() { return 42; })();";

describe("a script that is run by what V8 made of it", () => {
  it("is kept by the first process and left as it is by the second", async () => {
    expect(await said(ANSWERS)).toBe("42");
    const { ino, mode } = statSync(only());
    expect(mode & 0o777).toBe(0o600);
    expect(statSync(folder).mode & 0o777).toBe(0o700);
    expect(await said(ANSWERS)).toBe("42");
    expect(statSync(only()).ino).toBe(ino);
  });

  it("has `require`, and its place", async () => {
    const body = `exports.answer = typeof require("node:fs").readFileSync + importMetaUrl.endsWith("/script.js") + typeof module;`;
    for (const _ of ["compiled", "kept"]) expect(await said(body)).toBe("functiontrueobject");
  });

  it("is another one with another digest, which V8 would not see where the length is the same", async () => {
    await said(ANSWERS);
    expect(await said(ANSWERS.replace("42", "43"), { digest: "d2" })).toBe("43");
    expect(files()).toHaveLength(2);
  });

  it("is kept for each use", async () => {
    for (const use of ["plan", "validate", "plan"]) await said(ANSWERS, { use });
    expect(files()).toHaveLength(2);
  });

  it("is compiled anew where what is kept is not whole", async () => {
    await said(ANSWERS);
    truncateSync(only(), statSync(only()).size - 8);
    const { ino } = statSync(only());
    expect(await said(ANSWERS)).toBe("42");
    expect(statSync(only()).ino).not.toBe(ino);
  });

  it("is not taken from a file that others may write to", async () => {
    await said(ANSWERS);
    for (const mode of [0o620, 0o602]) {
      chmodSync(only(), mode);
      expect(await said(ANSWERS)).toBe("42");
      expect(statSync(only()).mode & 0o777).toBe(0o600);
    }
  });

  it("is not taken from a folder that others may write to: what lies there may be a link to anything of ours", async () => {
    await said(ANSWERS);
    const { ino } = statSync(only());
    chmodSync(folder, 0o777);
    expect(await said(ANSWERS)).toBe("42");
    expect(statSync(only()).ino).not.toBe(ino);
    expect(statSync(folder).mode & 0o777).toBe(0o700);
  });

  const isRoot = process.getuid?.() === 0;
  if (!isRoot) leaveOut("a compiled script of another user: needs root, who can give files away");
  it.skipIf(!isRoot)("is not taken from a file of another user", async () => {
    await said(ANSWERS);
    chownSync(only(), 12_345, 12_345);
    expect(await said(ANSWERS)).toBe("42");
    expect(statSync(only()).uid).toBe(0);
  });

  it("is not kept of a process that failed", async () => {
    expect(await said("process.once('exit', () => (process.exitCode = 0)); exports.answer = 1; process.exitCode = 1;")).toBe("1");
    expect(existsSync(folder)).toBe(false);
  });

  it("is kept in a new folder, made with the one above it in a home that nobody else may write to", async () => {
    const cache = join(home, ".cache");
    expect(await said(ANSWERS, { in: join(cache, "kept") })).toBe("42");
    expect([statSync(cache).mode & 0o777, readdirSync(join(cache, "kept")).length]).toEqual([0o700, 1]);
  });

  it("makes no folder in a home that is not there, is a link, or that others may write to", async () => {
    const elsewhere = join(home, "elsewhere");
    mkdirSync(elsewhere);
    symlinkSync(elsewhere, join(home, "link"));
    mkdirSync(join(home, "shared"));
    chmodSync(join(home, "shared"), 0o775);
    for (const name of ["none", "link", "shared"]) expect(await said(ANSWERS, { in: join(home, name, ".cache/kept") })).toBe("42");
    expect([existsSync(join(home, "none")), readdirSync(elsewhere), readdirSync(join(home, "shared"))]).toEqual([false, [], []]);
  });

  it("is not kept where a file stands in the place of the folder", async () => {
    mkdirSync(folder);
    const file = join(folder, "a file");
    writeFileSync(file, "");
    expect(await said(ANSWERS, { in: file })).toBe("42");
    expect(readFileSync(file, "utf8")).toBe("");
  });

  it("is kept anew an hour later where a run called much more, and has what the former one called, too", async () => {
    const flag = join(home, "flag");
    const step = "x = (x * 3 + 1) ^ (x >> 2);".repeat(500);
    const many = (name: string) => `const ${name} = [${`(x) => { ${step} return x; },`.repeat(200)}];`;
    const body = `${many("one")} ${many("two")}
      exports.answer = (require("node:fs").existsSync(${JSON.stringify(flag)}) ? two : one).reduce((x, each) => each(x), 1) !== 0.5;`;
    await said(body);
    const { size, ino } = statSync(only());
    writeFileSync(flag, "");
    await said(body);
    expect(statSync(only()).ino).toBe(ino);
    aged(only(), 2 * HOUR);
    await said(body);
    expect(statSync(only()).size).toBeGreaterThan(1.5 * size);
  });

  it("is looked at once an hour; what nobody looked at for a season goes", async () => {
    await said(ANSWERS);
    await said(ANSWERS, { digest: "old" });
    for (const file of files()) aged(file, file.includes("old") ? 91 * 24 * HOUR : 2 * HOUR);
    const inos = files().map((file) => statSync(file).ino);
    await said(ANSWERS);
    expect(inos).toContain(statSync(only()).ino);
    expect(Date.now() / 1000 - statSync(only()).mtimeMs / 1000).toBeLessThan(HOUR);
  });

  it("is whole whoever keeps it at once", async () => {
    expect(await Promise.all(Array.from({ length: 6 }, () => said(ANSWERS)))).toEqual(Array.from({ length: 6 }, () => "42"));
    expect(await said(ANSWERS)).toBe("42");
    only();
  });
});
