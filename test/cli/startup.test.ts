import { spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { leaveOut } from "../left-out.js";

/** Script files that one run of the command loads, from the root of the checkout or as `package/…`; V8 lists them for its coverage. */
function filesOf(args: readonly string[], code = 0): string[] {
  const folder = mkdtempSync(join(tmpdir(), "plumbline-startup-"));
  try {
    const env = { ...process.env, NODE_V8_COVERAGE: join(folder, "coverage"), PLUMBLINE_STATE_DIR: join(folder, "state") };
    const { status, stderr } = spawnSync(process.execPath, ["dist/cli.js", ...args], { env, encoding: "utf8" });
    expect(status, stderr).toBe(code);
    const listed = readdirSync(env.NODE_V8_COVERAGE).flatMap((file) => {
      const { result } = JSON.parse(readFileSync(join(env.NODE_V8_COVERAGE, file), "utf8")) as { result: { url: string }[] };
      return result.map(({ url }) => url).filter((url) => url.startsWith("file:"));
    });
    return [...new Set(listed)].map((url) => relative(process.cwd(), fileURLToPath(url)).replace(/^.*node_modules\//, "")).sort();
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Files of `schemas/` that one run of the command reads. */
function schemasOf(args: readonly string[]): string[] {
  const watch = `import fs from "node:fs";
    import { syncBuiltinESMExports } from "node:module";
    const read = fs.readFileSync;
    fs.readFileSync = (file, ...rest) => { if (String(file).includes("/schemas/")) process.stderr.write("read " + file + "\\n"); return read(file, ...rest); };
    syncBuiltinESMExports();`;
  const { stderr, status } = spawnSync(
    process.execPath,
    ["--import", `data:text/javascript,${encodeURIComponent(watch)}`, "dist/cli.js", ...args],
    {
      encoding: "utf8",
    },
  );
  expect(status, stderr).toBe(0);
  return [...new Set([...stderr.matchAll(/^read .*\/(.*)$/gm)].map(([, file]) => file ?? ""))].sort();
}

/** A desired state with a firewall's configuration in a file, and without a cloud. */
function inFirewallOnly(work: (config: string) => void): void {
  const folder = mkdtempSync(join(tmpdir(), "plumbline-startup-"));
  try {
    const config = join(folder, "plumbline.yaml");
    writeFileSync(config, "format: 1\nowner: us\ndocuments: [d]\ntargets: { box: { kind: memory, file: box.xml } }\n");
    writeFileSync(join(folder, "box.xml"), "<config/>");
    mkdirSync(join(folder, "d"));
    writeFileSync(join(folder, "d", "a.yaml"), "target: box\nscope: vsys1\nconfig: { tag: { web: { comments: x } } }\n");
    work(config);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

const roomsOf = (files: readonly string[]) =>
  new Set(files.map((file) => /^dist\/([^/]+)\//.exec(file)?.[1]).filter((room) => room !== undefined));
const packagesOf = (files: readonly string[]) =>
  [...new Set(files.filter((file) => !file.startsWith("dist/")).map((file) => /^(?:@[^/]+\/)?[^/]+/.exec(file)?.[0] ?? ""))].sort();

const built = existsSync("dist/cli.js");
if (!built) leaveOut("what a start loads: run `npm run build` first");

describe.skipIf(!built)("the modules that a start loads", () => {
  it("are only the version for --version", () => {
    expect(filesOf(["--version"])).toEqual(["dist/cli.js", "dist/core/package-file.js", "dist/core/version.js"]);
  });

  it("are the definitions of commands and commander for --help", () => {
    const help = filesOf(["--help"]);
    expect(packagesOf(help)).toEqual(["commander"]);
    expect(help.filter((file) => file.startsWith("dist/cli/commands/"))).toEqual([]);
  });

  it("are the same for the help of any command", () => {
    const help = filesOf(["--help"]);
    for (const command of ["plan", "lab", "agent"]) expect(filesOf([command, "--help"])).toEqual(help);
  });

  it("are the YAML reader for validate: no client, no store, no schema compiler, no lab", () => {
    const files = filesOf(["validate"]);
    expect(packagesOf(files)).toEqual(["commander", "fastest-levenshtein", "js-yaml", "p-limit", "yaml", "yocto-queue"]);
    const rooms = roomsOf(files);
    for (const room of ["lab", "agent", "audit", "import", "verdict", "http"]) expect([...rooms]).not.toContain(room);
  });

  it("exclude the rule reader for validate without assertions", () => {
    const folder = mkdtempSync(join(tmpdir(), "plumbline-startup-"));
    try {
      cpSync("desired-state", folder, { recursive: true });
      rmSync(join(folder, "edge/expect.yaml"));
      const files = filesOf(["validate", "--config", join(folder, "plumbline.yaml")]);
      expect(files.filter((file) => /panos\/policy\/(policies|rules|addresses)|engine\/insight\//.test(file))).toEqual([]);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  it("are the engine for plan: no store, no agent, no code host, no verdicts, no lab", () => {
    inFirewallOnly((config) => {
      const files = filesOf(["plan", "--config", config], 3);
      expect(files).toContain("dist/engine/reconcile.js");
      for (const room of ["lab", "agent", "audit", "import", "verdict"]) expect([...roomsOf(files)]).not.toContain(room);
      for (const name of ["ajv", "kysely", "pg", "libsql", "graphile-worker", "nodemailer", "prom-client", "chokidar", "fast-xml-parser"])
        expect(packagesOf(files)).not.toContain(name);
    });
  });

  it("include only the shapes of used kinds", () => {
    expect(schemasOf(["--help"])).toEqual([]);
    expect(schemasOf(["validate"])).toEqual([
      "contrail.shape.json",
      "openstack.shape.json",
      "panos.shape.json",
      "panos.specified.json",
      "panos.values.json",
    ]);
    inFirewallOnly((config) =>
      expect(schemasOf(["validate", "--config", config])).toEqual(["panos.shape.json", "panos.specified.json", "panos.values.json"]),
    );
  });
});
