import { type ChildProcess, execFileSync, spawn, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, relative, resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

/** Maximum sizes in bytes. A larger package contains tests, source maps or dependencies that only the build needs. */
const LARGEST_PACKAGE = 5_000_000;
const LARGEST_INSTALL = 40_000_000;

/** A firewall with one empty virtual system. */
const EMPTY = `<config><devices><entry name="localhost.localdomain"><vsys><entry name="vsys1"/></vsys></entry></devices></config>`;

interface Lock {
  readonly packages: Readonly<Record<string, { readonly version: string; readonly optional?: boolean; readonly link?: boolean }>>;
}

const home = mkdtempSync(join(tmpdir(), "plumbline-package-"));
const release = join(home, "release");
const folder = join(release, "package");
const parse = <T>(file: string): T => JSON.parse(readFileSync(file, "utf8")) as T;
const listed = (): string[] =>
  readdirSync(folder, { recursive: true, encoding: "utf8", withFileTypes: true })
    .filter((each) => each.isFile())
    .map((each) => join(each.parentPath, each.name));

/** Links the packages that an install of the release would add, and no others. */
function installBeside(lock: Lock): string[] {
  const places = Object.keys(lock.packages).filter((place) => place !== "" && existsSync(place));
  for (const place of places.filter((each) => each.lastIndexOf("node_modules/") === 0)) {
    mkdirSync(dirname(join(folder, place)), { recursive: true });
    symlinkSync(resolve(place), join(folder, place));
  }
  return places;
}

function sizeOf(path: string): number {
  const files = readdirSync(path, { recursive: true, encoding: "utf8", withFileTypes: true }).filter((each) => each.isFile());
  return files.reduce((sum, each) => sum + statSync(join(each.parentPath, each.name)).size, 0);
}

const run = (script: string, args: readonly string[], cwd: string) =>
  spawnSync(process.execPath, [script, ...args], { cwd, encoding: "utf8", env: { PATH: process.env.PATH, HOME: home } });

/** Script files that a run of the package loads, read from V8's coverage report. */
async function filesOf(args: readonly string[], cwd: string, more: Readonly<Record<string, string>> = {}): Promise<string[]> {
  const coverage = mkdtempSync(join(home, "coverage-"));
  const env = { PATH: process.env.PATH, HOME: home, NODE_V8_COVERAGE: coverage, ...more };
  const child = spawn(process.execPath, [join(folder, "dist/cli.js"), ...args], { cwd, env, stdio: "ignore" });
  await new Promise((resolve) => child.once("exit", resolve));
  const listed = readdirSync(coverage).flatMap((file) => parse<{ result: { url: string }[] }>(join(coverage, file)).result);
  return [...new Set(listed.map(({ url }) => url).filter((url) => url.startsWith("file:")))].map((url) => fileURLToPath(url));
}

/** A project with one target, in a file, and one document that it does not have yet. */
function project(): string {
  const at = mkdtempSync(join(home, "project-"));
  mkdirSync(join(at, "documents"));
  writeFileSync(
    join(at, "plumbline.yaml"),
    "format: 1\nowner: us\ndocuments: [documents]\ntargets: { box: { kind: memory, file: box.xml, mode: enforce } }\n",
  );
  writeFileSync(join(at, "box.xml"), EMPTY);
  writeFileSync(join(at, "documents/web.yaml"), "target: box\nscope: vsys1\nconfig: { tag: { web: { comments: x } } }\n");
  execFileSync("git", ["init", "--quiet"], { cwd: at });
  execFileSync("git", ["add", "."], { cwd: at });
  execFileSync("git", ["-c", "user.name=us", "-c", "user.email=us@example.org", "commit", "--quiet", "--message", "first"], { cwd: at });
  return at;
}

beforeAll(() => {
  execFileSync(process.execPath, ["packaging/package.mjs", release], { stdio: ["ignore", "ignore", "inherit"] });
});

afterAll(() => rmSync(home, { recursive: true }));

describe("the package", () => {
  it("is small: the program, its schemas and its page, no sources, maps or tests", () => {
    const [packed = ""] = readdirSync(release).filter((file) => file.endsWith(".tgz"));
    expect(statSync(join(release, packed)).size).toBeLessThan(LARGEST_PACKAGE);
    const files = listed().map((file) => file.slice(folder.length + 1));
    expect(files).toEqual(
      expect.arrayContaining(["package.json", "npm-shrinkwrap.json", "README.md", "LICENSE", "THIRD-PARTY-LICENSES", "dist/cli.js"]),
    );
    expect(files.filter((file) => /\.(map|ts|pem|key|db)$|test|(^|\/)\.env/.test(file))).toEqual([]);
    expect(existsSync(join(folder, "package.json")) && parse<{ private?: boolean }>(join(folder, "package.json")).private).toBeUndefined();
  });

  it("can be published on npm as it is, under its own name", () => {
    const { status, stdout, stderr } = spawnSync(
      "npm",
      ["publish", "--dry-run", "--json", "--ignore-scripts", "--fetch-retries=0", "--registry=http://127.0.0.1:9/"],
      { cwd: folder, encoding: "utf8", env: { PATH: process.env.PATH, HOME: home } },
    );
    expect(status, stderr).toBe(0);
    // A correction that npm makes by itself is an error of the package.
    expect(stderr).not.toMatch(/auto-corrected|errors corrected|invalid/i);
    type Published = { readonly name: string; readonly files: readonly { readonly path: string }[] };
    const said = JSON.parse(stdout) as Published | { readonly "plumbline-network": Published };
    // npm 11 reports it by the name of the package.
    const published = "files" in said ? said : said["plumbline-network"];
    const manifest = parse<Record<string, unknown>>("package.json");
    expect(published).toMatchObject({ name: "plumbline-network", version: manifest.version });
    expect(published.files.map(({ path }) => path).sort()).toEqual(
      listed()
        .map((file) => file.slice(folder.length + 1))
        .filter((file) => !file.startsWith("node_modules/"))
        .sort(),
    );
    expect(parse<object>(join(folder, "package.json"))).toMatchObject({
      license: "Apache-2.0",
      engines: { node: ">=20.19" },
      bin: { plumbline: "dist/cli.js" },
      description: manifest.description,
    });
  });

  it("names its source repository if known", async () => {
    const { manifestOf } = (await import(pathToFileURL("packaging/package.mjs").href)) as {
      manifestOf: (manifest: unknown, environment: Readonly<Record<string, string>>) => { repository?: { url: string } };
    };
    const manifest = parse<object>("package.json");
    expect(manifestOf(manifest, {}).repository).toBeUndefined();
    const environment = { GITHUB_SERVER_URL: "https://git.example.com", GITHUB_REPOSITORY: "net/plumbline" };
    expect(manifestOf(manifest, environment).repository).toEqual({ type: "git", url: "git+https://git.example.com/net/plumbline.git" });
  });

  it("locks its dependencies at the tested versions", () => {
    const ours = parse<Lock>("package-lock.json").packages;
    const { packages } = parse<Lock>(join(folder, "npm-shrinkwrap.json"));
    const { dependencies } = parse<{ dependencies: Record<string, string> }>(join(folder, "package.json"));
    for (const name of Object.keys(dependencies)) expect(packages).toHaveProperty([`node_modules/${name}`]);
    for (const [place, { version, link }] of Object.entries(packages)) {
      expect(link).toBeUndefined();
      if (place !== "") expect(version, place).toBe(ours[place]?.version);
    }
  });

  it("names the licence of every included package", () => {
    const text = readFileSync(join(folder, "THIRD-PARTY-LICENSES"), "utf8");
    for (const name of ["undici", "yaml", "graphile-worker", "commander"]) expect(text).toMatch(new RegExp(`^${name} \\d`, "m"));
  });

  it("has a bill of materials of exactly the released code", () => {
    const { components } = parse<{ components: { name: string; version: string }[] }>(join(release, "sbom.cdx.json"));
    const listed = new Set(components.map(({ name, version }) => `${name}@${version}`));
    const bundled = [...readFileSync(join(folder, "THIRD-PARTY-LICENSES"), "utf8").matchAll(/^(\S+) (\d\S*) \(.*\)$/gm)];
    const installed = Object.entries(parse<Lock>(join(folder, "npm-shrinkwrap.json")).packages).filter(([place]) => place !== "");
    const released = [
      ...bundled.map(([, name, version]) => `${name}@${version}`),
      ...installed.map(([place, { version }]) => `${place.slice(place.lastIndexOf("node_modules/") + 13)}@${version}`),
    ];
    expect([...listed].sort()).toEqual([...new Set(released)].sort());

    const names = new Set(components.map(({ name }) => name));
    const { dependencies } = parse<{ dependencies: Record<string, string> }>("package.json");
    expect(Object.keys(dependencies).filter((name) => !names.has(name))).toEqual([]);
    // The bundle replaces cosmiconfig. TypeScript and vitest only build and test.
    expect(["cosmiconfig", "typescript", "vitest"].filter((name) => names.has(name))).toEqual([]);
    expect(readFileSync(join(folder, "dist/cli.js"), "utf8")).not.toContain("cosmiconfig/");
  });

  it("has the checksum of every released file", () => {
    const sums = readFileSync(join(release, "SHA256SUMS"), "utf8").trim().split("\n");
    const files = readdirSync(release).filter((file) => statSync(join(release, file)).isFile() && file !== "SHA256SUMS");
    expect(sums.map((line) => line.split("  ")[1]).sort()).toEqual(files.sort());
    expect(execFileSync("sha256sum", ["--check", "--quiet", "SHA256SUMS"], { cwd: release, encoding: "utf8" })).toBe("");
  });
});

describe("an installed package", () => {
  const cli = join(folder, "dist/cli.js");
  let places: string[];
  beforeAll(() => {
    places = installBeside(parse<Lock>(join(folder, "npm-shrinkwrap.json")));
  });

  it("is small, on one platform", () => {
    const beside = places.filter((place) => !place.includes("musl")).reduce((sum, place) => sum + sizeOf(place), 0);
    const own = listed().filter((file) => !file.startsWith(join(folder, "node_modules")));
    expect(beside + own.reduce((sum, file) => sum + statSync(file).size, 0)).toBeLessThan(LARGEST_INSTALL);
  });

  it("validates, plans, reconciles and reports", () => {
    const at = project();
    expect(run(cli, ["validate"], at).stdout).toContain("valid  1 target, 1 document");
    expect(run(cli, ["plan"], at).status).toBe(2);
    const { status, stdout, stderr } = run(cli, ["reconcile", "--yes"], at);
    expect(status, stdout + stderr).toBe(0);
    expect(readFileSync(join(at, "box.xml"), "utf8")).toContain("<comments>x</comments>");
    expect(run(cli, ["report", "--html", "out"], at).status).toBe(0);
    expect(readFileSync(join(at, "out/index.html"), "utf8")).toContain("<script");
    expect(run(cli, ["get", "count(//tag/entry)", "--target", "box"], at).stderr).toBe("");
  });

  it("is one script, and executes nothing from a cache folder or the checkout", async () => {
    const at = project();
    const cache = join(at, ".cache");
    mkdirSync(join(cache, "plumbline"), { recursive: true });
    for (const args of [["--version"], ["--help"], ["validate"], ["plan"]]) {
      const loaded = await filesOf(args, at, { XDG_CACHE_HOME: cache });
      expect(loaded.map((file) => relative(folder, file))).toEqual(["dist/cli.js"]);
    }
    expect(readdirSync(join(cache, "plumbline"))).toEqual([]);
    expect(existsSync(join(home, ".cache/plumbline"))).toBe(false);
  });

  it("runs an agent with its own store", () => {
    const { status, stderr } = run(cli, ["agent", "--once", "--port", "0", "--state", join(home, "state")], project());
    expect(status, stderr).toBe(0);
    expect(existsSync(join(home, "state/plumbline.db")), readdirSync(join(home, "state")).join()).toBe(true);
  });

  it("serves a lab", async () => {
    const ready = join(home, "ready");
    const lab = spawn(process.execPath, [cli, "lab", "--port", "0", "--ready-file", ready], { stdio: ["ignore", "pipe", "pipe"] });
    const said = await firstLine(lab);
    lab.kill("SIGTERM");
    await new Promise((resolve) => lab.once("exit", resolve));
    expect(said).toContain("127.0.0.1");
  });
});

describe("the single file", () => {
  const cli = join(home, "alone/plumbline.mjs");
  beforeAll(() => {
    mkdirSync(dirname(cli));
    writeFileSync(cli, readFileSync(join(release, "plumbline.mjs")));
  });

  it("works without other files if no store is needed", () => {
    const at = project();
    const version = parse<{ version: string }>("package.json").version;
    expect(run(cli, ["--version"], at).stdout).toBe(`${version}\n`);
    expect(run(cli, ["validate"], at).stdout).toContain("valid  1 target, 1 document");
    const { status, stdout, stderr } = run(cli, ["reconcile", "--yes"], at);
    expect(status, stdout + stderr).toBe(0);
    expect(run(cli, ["report", "--html", "out"], at).status).toBe(0);
  });

  it("names the missing part if a store is needed", () => {
    const { status, stderr } = run(cli, ["agent", "--once", "--port", "0"], project());
    expect(status).toBe(1);
    expect(stderr).toContain("[sqlite-not-loaded]");
  });
});

function firstLine(lab: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    let said = "";
    const hear = (text: Buffer) => {
      said += text.toString();
      if (said.includes("127.0.0.1")) resolve(said);
    };
    lab.stdout?.on("data", hear);
    lab.stderr?.on("data", hear);
    lab.once("exit", () => reject(new Error(`the lab ended: ${said}`)));
  });
}
