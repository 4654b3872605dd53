import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { loadConfiguration } from "../../../src/desired/load.js";
import { kinds } from "../../../src/targets/registry.js";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "plumbline-key-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

async function read(line: string, more: { environment?: Record<string, string>; resolveSecrets?: boolean } = {}) {
  const file = join(folder, "plumbline.yaml");
  writeFileSync(file, `format: 1\nowner: o\ndocuments: [d]\n${line}targets:\n  edge: { kind: memory, file: edge.xml }\n`);
  return (await loadConfiguration(file, { environment: {}, kinds, ...more })).fingerprintKey;
}

describe("fingerprintKey", () => {
  it("is a secret from a reference, or absent", async () => {
    const key = await read('fingerprintKey: "${env:KEY}"\n', { environment: { KEY: "k1" } });
    expect(key?.reveal()).toBe("k1");
    expect(String(key)).toBe("${env:KEY}");
    expect(await read("")).toBeUndefined();
  });

  it("stays symbolic if secrets may not be read", async () => {
    expect(String(await read('fingerprintKey: "${env:KEY}"\n', { resolveSecrets: false }))).toBe("${env:KEY}");
  });

  it("is refused as plain text, with its position", async () => {
    await expect(read("fingerprintKey: plain\n")).rejects.toMatchObject({ errors: [{ code: "plaintext-secret", where: { line: 4 } }] });
  });
});
