import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { runCli } from "../../../src/cli/program.js";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "plumbline-lab-cli-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

interface Served {
  readonly code: number;
  readonly out: string;
  readonly err: string;
  readonly ready: Record<string, unknown> | undefined;
}

/** Runs `plumbline lab` until it prints how to stop it, and stops it. */
async function serve(...words: readonly string[]): Promise<Served> {
  let out = "";
  let err = "";
  let ready: Record<string, unknown> | undefined;
  const stop = new AbortController();
  const readyFile = join(folder, "ready.json");
  const write = (text: string): void => {
    out += text;
    if (!out.includes("Ctrl-C")) return;
    if (existsSync(readyFile)) ready = JSON.parse(readFileSync(readyFile, "utf8"));
    stop.abort();
  };
  const code = await runCli(["lab", "--ready-file", readyFile, ...words], {
    environment: { HOME: folder },
    folder,
    stdout: { write },
    stderr: { write: (text) => (err += text) },
    now: () => new Date(),
    stop: stop.signal,
  });
  return { code, out, err, ready };
}

describe("plumbline lab", () => {
  it("serves one firewall by default", async () => {
    const { code, ready, out } = await serve("--port", "0");
    expect(code).toBe(0);
    expect(out).toContain(
      `export PLUMBLINE_TARGET_FIREWALL_URL=${ready?.firewall} PLUMBLINE_TARGET_FIREWALL_CA=${ready?.ca} PLUMBLINE_USER=admin PLUMBLINE_PASSWORD=admin\n`,
    );
    expect(Object.keys(ready ?? {})).toEqual(["firewall", "firewalls", "ca"]);
  });

  it("reads traffic for its logs from a file, and refuses an invalid one", async () => {
    const flow = { from: "untrust", to: "trust", source: "203.0.113.9", destination: "10.0.0.10", application: "web-browsing", port: 80 };
    writeFileSync(join(folder, "flows.json"), JSON.stringify([flow]));
    expect((await serve("--port", "0", "--flows", "flows.json")).code).toBe(0);
    writeFileSync(join(folder, "flows.json"), JSON.stringify([{ ...flow, port: "http" }]));
    const refused = await serve("--port", "0", "--flows", "flows.json");
    expect([refused.code, refused.err.includes("lab-flow-invalid")]).toEqual([1, true]);
    expect((await serve("--port", "0", "--flows", "nothing.json")).err).toContain("option-invalid");
  });

  it("serves firewalls and the verdict service with one authority and one ready file", async () => {
    const { ready, out } = await serve("--port", "0", "--services", "firewall,verdict");
    expect(ready).toMatchObject({ firewall: expect.stringMatching(/^https:/), verdict: expect.stringMatching(/^https:/) });
    expect(ready?.verdictKeys).toEqual(["lab-verdict-key"]);
    expect(out).toContain(`PLUMBLINE_VERDICT_URL=${ready?.verdict}`);
    expect(readFileSync(String(ready?.ca), "utf8")).toContain("BEGIN CERTIFICATE");
  });

  it("prints the login of the cloud", async () => {
    const { out } = await serve("--port", "0", "--services", "identity,network,compute");
    expect(out).toMatch(/identity {2}http:\S+ {2}demo \/ secret, project demo\n/);
    const [, url] = /export OS_AUTH_URL=(\S+\/v3) OS_USERNAME=demo OS_PASSWORD=secret OS_PROJECT_NAME=demo/.exec(out) ?? [];
    expect(url).toContain("127.0.0.1");
  });

  it("serves only the verdict service", async () => {
    const { ready } = await serve("--verdict-port", "0", "--services", "verdict");
    expect(Object.keys(ready ?? {})).toEqual(["verdict", "verdictKeys", "ca"]);
  });

  it.each([
    ["a service that is none", ["--services", "firewall,coffee"], 'no service "coffee"'],
    ["one port for two", ["--services", "firewall,verdict", "--count", "2"], "Port 8444"],
  ])("refuses %s", async (_, words, message) => {
    const { code, err, ready } = await serve(...words);
    expect([code, ready]).toEqual([1, undefined]);
    expect(err).toContain(message);
  });
});
