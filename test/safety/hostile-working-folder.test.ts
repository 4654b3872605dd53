import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, describe, expect, it } from "vitest";

// The working folder of a plan is a checkout, perhaps of an unknown person's pull request: its files are read, never executed. Some
// packages search for settings files when they load, and a JavaScript settings file is a program.
const { dependencies } = JSON.parse(readFileSync("package.json", "utf8")) as { dependencies: Record<string, string> };
/** The only file that may load graphile-worker. */
const JOB_QUEUE = "src/agent/store/shared/job-queue.ts";
const folder = mkdtempSync(join(tmpdir(), "plumbline-hostile-"));
afterAll(() => rmSync(folder, { recursive: true }));

/** From here on, prints every path in the working folder that is accessed. */
const WATCH = `
import fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { resolve } from "node:path";
const here = process.cwd();
for (const name of ["readFileSync", "readFile", "statSync", "stat", "lstatSync", "existsSync", "accessSync", "access", "openSync", "open", "readdirSync", "readdir"]) {
  const real = fs[name];
  fs[name] = (path, ...rest) => {
    const at = typeof path === "string" ? resolve(path) : "";
    if (at.startsWith(here)) process.stdout.write(name + " " + at.slice(here.length) + "\\n");
    return real(path, ...rest);
  };
}
syncBuiltinESMExports();
`;

/** The paths in the hostile folder that a process accessed while it loaded these modules. */
function askedFor(modules: readonly string[]): string {
  const script = `${WATCH}\nfor (const each of ${JSON.stringify(modules)}) await import(each);\nprocess.exit(0);`;
  const { stdout, stderr, status } = spawnSync(process.execPath, ["--input-type=module", "-e", script], { cwd: folder, encoding: "utf8" });
  expect(status, stderr).toBe(0);
  return stdout;
}

describe("a hostile working folder", () => {
  it("contains no settings that a package would execute", () => {
    const canary = join(folder, "ran");
    const program = `require("node:fs").writeFileSync(${JSON.stringify(canary)}, "");`;
    for (const name of [".graphile-workerrc.cjs", ".graphile-workerrc.js", "graphile-worker.config.cjs", "graphile-worker.config.js"])
      writeFileSync(join(folder, name), program);
    askedFor([pathToFileURL("dist/agent/shared/job-engine.js").href, pathToFileURL("dist/agent/store/shared/shared-work.js").href]);
    expect(existsSync(canary)).toBe(false);
    askedFor([import.meta.resolve("graphile-worker")]);
    expect(existsSync(canary), "without ours it would be run").toBe(true);
  });

  it("is not read by any installed package", () => {
    // The module that patches globals for others comes first.
    const packages = ["reflect-metadata", ...Object.keys(dependencies).filter((name) => name !== "graphile-worker")];
    const modules = [
      ...packages.map((name) => import.meta.resolve(name)),
      pathToFileURL(JOB_QUEUE.replace("src", "dist").replace(".ts", ".js")).href,
    ];
    expect(modules.length).toBeGreaterThan(15);
    expect(askedFor(modules)).toBe("");
  });

  it("is safe from graphile-worker, which only one file loads", () => {
    const files = readdirSync("src", { recursive: true, encoding: "utf8" }).filter((file) => file.endsWith(".ts"));
    const loading = files
      .map((file) => join("src", file))
      .filter((file) => /from "graphile-worker"|import\("graphile-worker"\)/.test(readFileSync(file, "utf8")));
    expect(loading).toEqual([JOB_QUEUE]);
  });

  it("a package that reads it would be detected", () => {
    const curious = join(folder, "curious.cjs");
    writeFileSync(curious, `require("node:fs").existsSync("settings.json");`);
    expect(askedFor([curious])).toContain("/settings.json");
  });
});
