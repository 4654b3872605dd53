import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { projectSchema } from "../../../src/cli/editor-schemas.js";
import { runCli } from "../../../src/cli/program.js";
import { startLab } from "../../../src/lab/lab.js";
import { oneCertificate } from "../../one-certificate.js";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "plumbline-init-test-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

async function run(words: readonly string[], more: Readonly<Record<string, string>> = {}, at = folder) {
  let out = "";
  let err = "";
  const code = await runCli(words, {
    environment: { HOME: folder, PATH: process.env.PATH, PLUMBLINE_STATE_DIR: join(folder, ".state"), NO_COLOR: "1", ...more },
    folder: at,
    stdout: { write: (text: string) => (out += text) },
    stderr: { write: (text: string) => (err += text) },
    now: () => new Date(),
    stop: new AbortController().signal,
  });
  return { code, out, err };
}

const git = (at: string, ...words: string[]): string =>
  execFileSync("git", ["-C", at, "-c", "user.name=t", "-c", "user.email=t@example.net", ...words], { encoding: "utf8" }).trim();

describe("plumbline init", () => {
  it("creates a repository: one commit, CI file, ignore file, and a valid, formatted desired state", async () => {
    const { code, out, err } = await run(["init", "net", "--target", "edge"]);
    expect([code, err]).toEqual([0, ""]);
    const net = join(folder, "net");
    expect(git(net, "log", "--format=%s")).toBe("Begin the desired state");
    expect(git(net, "status", "--porcelain")).toBe("");
    for (const file of ["plumbline.yaml", ".gitignore", ".gitattributes", ".github/workflows/plumbline.yml", "edge/general.yaml"]) {
      expect(existsSync(join(net, file)), file).toBe(true);
      expect(out).toContain(join("net", file));
    }
    for (const schema of ["plumbline.schema.json", "panos.schema.json"])
      expect(readFileSync(join(net, "schemas", schema), "utf8")).toBe(projectSchema(schema));
    expect(await run(["validate"], {}, net)).toMatchObject({ code: 0, err: "" });
    expect(await run(["fmt", "--check"], {}, net)).toMatchObject({ code: 0 });
  });

  it("creates documents that git checks out with LF, also if it converts line ends by default", async () => {
    expect((await run(["init", "net", "--target", "edge"])).code).toBe(0);
    execFileSync("git", ["-C", folder, "clone", "--quiet", "--config", "core.autocrlf=true", "net", "copy"]);
    expect(await run(["fmt", "--check"], {}, join(folder, "copy"))).toMatchObject({ code: 0, err: "" });
  });

  it("imports an exported configuration without warnings, in canonical format", async () => {
    const xml = join(process.cwd(), "test/fixtures/edge/lab/edge.xml");
    expect(await run(["init", ".", "--xml", xml, "--ci", "gitlab"])).toMatchObject({ code: 0, err: "" });
    expect(existsSync(join(folder, ".gitlab-ci.yml"))).toBe(true);
    expect(await run(["validate"])).toMatchObject({ code: 0, err: "" });
    expect(await run(["fmt", "--check"])).toMatchObject({ code: 0 });
  });

  it("imports a device, and the first plan finds no changes", async () => {
    const lab = await startLab({ devices: [{ name: "firewall", configFile: "test/fixtures/edge/lab/edge.xml", strict: true }] });
    try {
      writeFileSync(join(folder, "ca.pem"), lab.caPem);
      const login = { PLUMBLINE_USER: "admin", PLUMBLINE_PASSWORD: "admin", PLUMBLINE_TARGET_FIREWALL_CA: join(folder, "ca.pem") };
      expect(await run(["init", "net", "--url", lab.device.url], login)).toMatchObject({ code: 0, err: "" });
      expect(readdirSync(join(folder, "net/firewall")).length).toBeGreaterThan(1);
      expect(await run(["plan"], login, join(folder, "net"))).toMatchObject({ code: 0 });
    } finally {
      await lab.close();
    }
  });

  it("copies the certificate authority into the repository and names it", async () => {
    const { caPem } = await oneCertificate();
    writeFileSync(join(folder, "ours.pem"), caPem);
    expect(await run(["init", "net", "--ca", "ours.pem"])).toMatchObject({ code: 0, err: "" });
    const net = join(folder, "net");
    expect(readFileSync(join(net, "certs/firewall-ca.pem"), "utf8")).toBe(caPem);
    expect(readFileSync(join(net, "plumbline.yaml"), "utf8")).toContain("tls: { ca: certs/firewall-ca.pem }");
    expect(git(net, "ls-files", "certs")).toBe("certs/firewall-ca.pem");
    expect(await run(["validate"], {}, net)).toMatchObject({ code: 0, err: "" });
    rmSync(join(net, "certs/firewall-ca.pem"));
    const { code, err } = await run(["validate"], {}, net);
    expect([code, err]).toEqual([1, expect.stringContaining("tls-ca-unreadable")]);
    expect((await run(["init", "other", "--ca", "none.pem"])).err).toContain("tls-ca-unreadable");
    expect(existsSync(join(folder, "other"))).toBe(false);
  });

  it("imports so that no name is unknown to validate --strict, which its CI file runs", async () => {
    const xml = join(process.cwd(), "test/fixtures/edge/lab/edge.xml");
    expect(await run(["init", ".", "--xml", xml])).toMatchObject({ code: 0 });
    expect(await run(["validate", "--strict"])).toMatchObject({ code: 0, err: "" });
    expect(readFileSync(join(folder, ".github/workflows/plumbline.yml"), "utf8")).toContain('PLUMBLINE_STRICT: "true"');
    const rules = join(folder, "firewall/vsys1/rules/security.yaml");
    writeFileSync(rules, readFileSync(rules, "utf8").replace("web-servers", "web-srevers"));
    expect((await run(["validate"])).code).toBe(0);
    const { code, err } = await run(["validate", "--strict"]);
    expect([code, err]).toEqual([1, expect.stringContaining('"web-srevers"')]);
    rmSync(join(folder, "firewall/vsys1/address-group.yaml"));
    expect((await run(["validate"])).code).toBe(0);
    expect((await run(["validate", "--strict"])).err).toContain("name-undeclared");
  });

  it("starts in mode observe, with a comment that names the next step", async () => {
    await run(["init", "net"]);
    const configuration = readFileSync(join(folder, "net/plumbline.yaml"), "utf8");
    expect(configuration).toMatch(/^ {4}mode: observe # .*`enforce`/m);
    expect(await run(["fmt", "--check"], {}, join(folder, "net"))).toMatchObject({ code: 0 });
  });

  it("overwrites nothing, and leaves nothing behind if it refuses", async () => {
    writeFileSync(join(folder, ".gitignore"), "mine\n");
    const { code, err } = await run(["init"]);
    expect([code, err]).toEqual([3, expect.stringContaining("init-refused")]);
    expect(err).toContain(".gitignore");
    expect(readdirSync(folder)).toEqual([".gitignore"]);
    expect(readFileSync(join(folder, ".gitignore"), "utf8")).toBe("mine\n");
  });

  it("refuses to create a project inside another one", async () => {
    expect((await run(["init"])).code).toBe(0);
    mkdirSync(join(folder, "firewall/below"));
    const { code, err } = await run(["init", "firewall/below"]);
    expect([code, err]).toEqual([3, expect.stringContaining("A plumbline.yaml exists already.")]);
    expect((await run(["init"])).code).toBe(3);
  });

  it("commits only its own files in an existing repository, with the CI file at its root", async () => {
    git(folder, "init", "-q");
    writeFileSync(join(folder, "theirs.txt"), "staged by somebody");
    git(folder, "add", "theirs.txt");
    expect(await run(["init", "net"])).toMatchObject({ code: 0, err: "" });
    expect(git(folder, "show", "--name-only", "--format=", "HEAD").split("\n")).not.toContain("theirs.txt");
    expect(git(folder, "status", "--porcelain")).toBe("A  theirs.txt");
    expect(readFileSync(join(folder, ".github/workflows/plumbline.yml"), "utf8")).toContain('config: "net/plumbline.yaml"');
  });
});
