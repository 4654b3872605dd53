import { createHash } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { runCli } from "../../../src/cli/program.js";
import { type RunningVerdictLab, startVerdictLab } from "../../../src/lab/lab.js";

let folder: string;
let lab: RunningVerdictLab;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "plumbline-verdict-cli-"));
  lab = await startVerdictLab();
  writeFileSync(join(folder, "ca.pem"), lab.caPem);
  for (const word of ["benign", "malicious"]) writeFileSync(join(folder, word), `plumbline lab: ${word}`);
});
afterEach(async () => {
  await lab.close();
  rmSync(folder, { recursive: true, force: true });
});

async function run(words: readonly string[], environment: Readonly<Record<string, string | undefined>> = {}) {
  let out = "";
  let err = "";
  const code = await runCli(["verdict", ...words], {
    environment: {
      HOME: folder,
      PLUMBLINE_VERDICT_URL: lab.url,
      PLUMBLINE_VERDICT_CA: "ca.pem",
      PLUMBLINE_VERDICT_KEY: "lab-verdict-key",
      ...environment,
    },
    folder,
    stdout: { write: (text) => (out += text) },
    stderr: { write: (text) => (err += text) },
    now: () => new Date(),
    stop: new AbortController().signal,
  });
  return { code, out, err };
}

const md5 = (text: string): string => createHash("md5").update(text).digest("hex");

describe("plumbline verdict", () => {
  it("ends with 0 for benign, 2 for unknown, 3 for malicious", async () => {
    expect((await run(["--path", "benign"])).code).toBe(0);
    expect((await run([md5("never seen"), "--path", "benign"])).code).toBe(2);
    expect((await run([md5("never seen"), "--path", "benign", "malicious"])).code).toBe(3);
    expect((await run(["--help"])).out).toContain("Exit codes: 0 all benign · 1 no verdict · 2 some");
  });

  it("requests cached verdicts again with --fresh, and a corrected verdict replaces the old one", async () => {
    const [file, now] = [{ md5: md5("disputed"), sha256: "d".repeat(64) }, Date.now()];
    lab.state.files.add({ ...file, verdict: 1 }, now);
    expect((await run([file.md5])).code).toBe(3);
    lab.state.files.add({ ...file, verdict: 0 }, now);
    expect((await run([file.md5])).code).toBe(3);
    expect((await run([file.md5, "--fresh"])).code).toBe(0);
    expect((await run([file.md5])).code).toBe(0);
    expect(lab.state.journal).toHaveLength(2);
  });

  it("needs 3 requests for 1,200 hashes with 100 duplicates, and none the second time", async () => {
    const distinct = Array.from({ length: 1_100 }, (_, i) => md5(String(i)));
    writeFileSync(join(folder, "list"), [...distinct, ...distinct.slice(0, 100)].join("\n"));
    const first = JSON.parse((await run(["--list", "list", "--format", "json"])).out);
    expect(first.summary).toEqual({ asked: 1_200, distinct: 1_100, good: 0, open: 1_200, bad: 0, requests: 3, left: 1_047 });
    expect(first.files).toHaveLength(1_200);
    expect(lab.state.journal).toHaveLength(3);
    const second = await run(["--list", "list", "--format", "csv"]);
    expect(second.code).toBe(2);
    expect(second.out.trimEnd().split("\r\n")).toHaveLength(1_201);
    expect(lab.state.journal).toHaveLength(3);
  });

  it("ends with 1, code and next step without a verdict", async () => {
    lab.state.faults.add({ kind: "status", status: 403 });
    const { code, err, out } = await run(["--path", "benign"]);
    expect([code, out]).toEqual([1, ""]);
    expect(err).toContain("[verdict-forbidden]");
    expect((await run(["--path", "benign"], { PLUMBLINE_VERDICT_URL: undefined })).err).toContain("[verdict-url-missing]");
    expect((await run([])).err).toContain("[hashes-missing]");
    expect((await run(["zz", "--list", "nowhere"])).err).toMatch(/hash-invalid[\s\S]*hash-file-unreadable/);
  });

  it("warns about an unverified certificate, and never prints the key", async () => {
    const { code, err } = await run(["--insecure", "--path", "benign", "--log-level", "debug"], { PLUMBLINE_VERDICT_CA: undefined });
    expect(code).toBe(0);
    expect(err).toContain("is not verified");
    expect(err).not.toContain("lab-verdict-key");
  });
});
