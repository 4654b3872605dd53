import { mkdtempSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { SecretValue } from "../../../src/core/secret.js";
import { SecretLeaf } from "../../../src/core/tree/node.js";
import { Path } from "../../../src/core/tree/path.js";
import { DesiredNode } from "../../../src/desired/model.js";
import { Fingerprints, keyFrom, refuseNewMasterKey, stateKey } from "../../../src/engine/ledger/fingerprints.js";
import type { LedgerRecord } from "../../../src/engine/ledger.js";

const path = Path.root.child("config").child("key");
const fingerprints = new Fingerprints(Buffer.alloc(32, 7));

function ours(text: string): DesiredNode {
  const secret = new SecretValue(text, "${env:KEY}");
  return new DesiredNode("key", undefined, "${env:KEY}", [], { origin: -1, prunes: true, declared: true, handling: { secret } });
}

function stored(text: string): SecretLeaf {
  return new SecretLeaf("key", new SecretValue(text, "«stored secret»"));
}

function ledgerWith(secrets: LedgerRecord["secrets"]): LedgerRecord {
  return { owner: "netops", target: "edge", commit: undefined, paths: [], adopted: [], secrets };
}

const known = ledgerWith({ [path.toString()]: fingerprints.pair(path.toString(), new SecretValue("abc", ""), stored("-AQ==1")) });

describe("whether a stored secret still equals ours", () => {
  it("is unknown without a ledger row", () => {
    expect(fingerprints.state(undefined, path, ours("abc"), stored("-AQ==1"))).toBe("unknown");
    expect(fingerprints.state(ledgerWith({}), path, ours("abc"), stored("-AQ==1"))).toBe("unknown");
  });

  it("is equal while neither side moved", () => {
    expect(fingerprints.state(known, path, ours("abc"), stored("-AQ==1"))).toBe("equal");
  });

  it("is changed when either side moved", () => {
    expect(fingerprints.state(known, path, ours("abd"), stored("-AQ==1"))).toBe("changed");
    expect(fingerprints.state(known, path, ours("abc"), stored("-AQ==2"))).toBe("changed");
  });

  it("is changed under another key, never equal by accident", () => {
    expect(new Fingerprints(Buffer.alloc(32, 8)).state(known, path, ours("abc"), stored("-AQ==1"))).toBe("changed");
  });

  it("is equal where the device shows our very text", () => {
    expect(fingerprints.state(undefined, path, ours("abc"), stored("abc"))).toBe("equal");
  });

  it("gives one text other fingerprints at other places and sides", () => {
    const secret = new SecretValue("abc", "");
    const all = [fingerprints.of("/a", "plain", secret), fingerprints.of("/a", "stored", secret), fingerprints.of("/b", "plain", secret)];
    expect(new Set(all).size).toBe(3);
  });
});

describe("many secrets in a new form at once", () => {
  const rows = ["/a", "/b", "/c", "/d"];
  const record = ledgerWith(
    Object.fromEntries(rows.map((row) => [row, fingerprints.pair(row, new SecretValue("x", ""), stored(`old ${row}`))])),
  );
  const live = (changed: number) => new Map(rows.map((row, i) => [row, stored(i < changed ? `new ${row}` : `old ${row}`)]));

  it("refuse: the device has another master key", () => {
    expect(() => refuseNewMasterKey(fingerprints, record, live(4), false)).toThrow(/4 of 4 stored secrets/);
    expect(() => refuseNewMasterKey(fingerprints, record, live(3), false)).toThrow(
      expect.objectContaining({ code: "master-key-changed", severity: "refused" }),
    );
  });

  it("pass when few changed, when allowed, and without a ledger", () => {
    refuseNewMasterKey(fingerprints, record, live(2), false);
    refuseNewMasterKey(fingerprints, record, live(4), true);
    refuseNewMasterKey(fingerprints, undefined, live(4), false);
  });
});

describe("the key in the state folder", () => {
  it("is made once, for this user alone", async () => {
    const folder = join(mkdtempSync(join(tmpdir(), "state-")), "deep");
    const first = await stateKey(folder);
    expect(first.length).toBe(32);
    expect(await stateKey(folder)).toEqual(first);
    expect(statSync(join(folder, "fingerprint.key")).mode & 0o777).toBe(0o600);
  });

  it("is refused when damaged", async () => {
    const folder = mkdtempSync(join(tmpdir(), "state-"));
    writeFileSync(join(folder, "fingerprint.key"), "abc\n");
    await expect(stateKey(folder)).rejects.toMatchObject({ code: "fingerprint-key-malformed" });
  });
});

describe("the key in the configuration", () => {
  it("gives the same fingerprints on every machine that knows it, and others to whoever does not", () => {
    const secret = new SecretValue("abc", "");
    const of = (key: string) =>
      new Fingerprints(keyFrom(new SecretValue(key, "${env:FINGERPRINT_KEY}"))).of("/config/key", "plain", secret);
    expect(of("shared")).toBe(of("shared"));
    expect(of("shared")).not.toBe(of("other"));
  });
});
