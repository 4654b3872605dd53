import { mkdirSync, mkdtempSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { SecretValue } from "../../../src/core/secret.js";
import { SecretLeaf } from "../../../src/core/tree/node.js";
import { Path } from "../../../src/core/tree/path.js";
import { DesiredNode } from "../../../src/desired/model.js";
import { Fingerprints, keyFrom, refuseNewMasterKey, stateKey } from "../../../src/engine/ledger/fingerprints.js";
import type { LedgerRecord } from "../../../src/engine/ledger/ledger.js";

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

describe("the comparison of a stored secret", () => {
  it("is unknown without a ledger row", () => {
    expect(fingerprints.state(undefined, path, ours("abc"), stored("-AQ==1"))).toBe("unknown");
    expect(fingerprints.state(ledgerWith({}), path, ours("abc"), stored("-AQ==1"))).toBe("unknown");
  });

  it("is equal while both sides are unchanged", () => {
    expect(fingerprints.state(known, path, ours("abc"), stored("-AQ==1"))).toBe("equal");
  });

  it("is changed when either side changed", () => {
    expect(fingerprints.state(known, path, ours("abd"), stored("-AQ==1"))).toBe("changed");
    expect(fingerprints.state(known, path, ours("abc"), stored("-AQ==2"))).toBe("changed");
  });

  it("is changed under another key, never equal by accident", () => {
    expect(new Fingerprints(Buffer.alloc(32, 8)).state(known, path, ours("abc"), stored("-AQ==1"))).toBe("changed");
  });

  it("is equal if the device shows the same text", () => {
    expect(fingerprints.state(undefined, path, ours("abc"), stored("abc"))).toBe("equal");
  });

  it("has different fingerprints per place and side for one text", () => {
    const secret = new SecretValue("abc", "");
    const all = [fingerprints.of("/a", "plain", secret), fingerprints.of("/a", "stored", secret), fingerprints.of("/b", "plain", secret)];
    expect(new Set(all).size).toBe(3);
  });
});

describe("the ledger row of a secret", () => {
  const at = path.toString();
  const text = (value: string) => new SecretValue(value, "");

  it("has no stored form if the device shows the same text, and is not equal by it", () => {
    const pair = fingerprints.pair(at, text("abc"), stored("abc"));
    expect(pair).toEqual({ plain: fingerprints.of(at, "plain", text("abc")), stored: "" });
    expect(fingerprints.state(ledgerWith({ [at]: pair }), path, ours("abc"), stored("-AQ==1"))).toBe("changed");
  });

  it("recognises the text and its stored form, and no other", () => {
    const pair = fingerprints.pair(at, text("abc"), stored("-AQ==1"));
    expect(["abc", "-AQ==1", "abd"].map((shown) => fingerprints.knows(at, pair, stored(shown)))).toEqual([true, true, false]);
  });

  it("differs by text, place, side and key, and contains no text", () => {
    const other = new Fingerprints(Buffer.alloc(32, 8));
    const all = [
      fingerprints.of(at, "plain", text("abc")),
      fingerprints.of(at, "plain", text("abd")),
      fingerprints.of("/b", "plain", text("abc")),
      fingerprints.of(at, "stored", text("abc")),
      other.of(at, "plain", text("abc")),
    ];
    expect([new Set(all).size, all.filter((print) => !/^[0-9a-f]{64}$/.test(print))]).toEqual([5, []]);
  });

  it("is changed if no text is declared and the ledger has one, unknown otherwise", () => {
    const silent = new DesiredNode("key", undefined, "x", [], { origin: -1, prunes: true, declared: true, handling: undefined });
    expect(fingerprints.state(known, path, silent, stored("-AQ==1"))).toBe("changed");
    expect(fingerprints.state(ledgerWith({}), path, silent, stored("-AQ==1"))).toBe("unknown");
    expect(fingerprints.state(undefined, path, silent, stored("-AQ==1"))).toBe("unknown");
  });
});

describe("a secret of ${keep}", () => {
  const at = path.toString();
  const other = new Fingerprints(Buffer.alloc(32, 8));
  const keep = new DesiredNode("key", undefined, "${keep}", [], { origin: -1, prunes: true, declared: true, handling: { keep: true } });
  const state = (by: Fingerprints, secrets: LedgerRecord["secrets"], shown: string) =>
    by.state(ledgerWith(secrets), path, keep, stored(shown));

  it("is equal while its stored form is unchanged, and changed otherwise", () => {
    const secrets = { [at]: fingerprints.kept(at, stored("-AQ==1")) };
    expect(state(fingerprints, secrets, "-AQ==1")).toBe("equal");
    expect(state(fingerprints, secrets, "-AQ==2")).toBe("changed");
  });

  it("is unknown if the ledger has no verified row", () => {
    expect(fingerprints.state(undefined, path, keep, stored("x"))).toBe("unknown");
    expect(state(fingerprints, {}, "x")).toBe("unknown");
    expect(state(fingerprints, { [at]: { ...fingerprints.kept(at, stored("x")), stored: "" } }, "x")).toBe("unknown");
  });

  it("is unknown with another key, which is reported", () => {
    const kept = fingerprints.kept(at, stored("-AQ==1"));
    expect(state(other, { [at]: kept }, "-AQ==2")).toBe("other-key");
    expect([other, fingerprints].map((by) => by.isOfAnotherKey(kept))).toEqual([true, false]);
    expect(other.isOfAnotherKey(fingerprints.pair(at, new SecretValue("abc", ""), stored("-AQ==1")))).toBe(false);
    expect(kept.plain).toMatch(/^kept:[0-9a-f]{12}$/);
  });

  it("is unknown once a declared text replaced it", () => {
    expect(fingerprints.state(ledgerWith({ [at]: fingerprints.kept(at, stored("-AQ==1")) }), path, ours("abc"), stored("-AQ==1"))).toBe(
      "unknown",
    );
  });
});

describe("many secrets in a new form", () => {
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

  it("pass if few changed, if allowed, and without a ledger", () => {
    refuseNewMasterKey(fingerprints, record, live(2), false);
    refuseNewMasterKey(fingerprints, record, live(4), true);
    refuseNewMasterKey(fingerprints, undefined, live(4), false);
  });

  it("pass if they are as many as the unchanged ones, or if the new ones are not evidence", () => {
    const more = ["/a", "/b", "/c", "/d", "/e", "/f"];
    const pairs = (by: (row: string) => LedgerRecord["secrets"][string]) =>
      ledgerWith(Object.fromEntries(more.map((row) => [row, by(row)])));
    const shown = (changed: number) => new Map(more.map((row, i) => [row, stored(i < changed ? `new ${row}` : `old ${row}`)]));
    const ofOurs = pairs((row) => fingerprints.pair(row, new SecretValue("x", ""), stored(`old ${row}`)));
    refuseNewMasterKey(fingerprints, ofOurs, shown(3), false);
    expect(() => refuseNewMasterKey(fingerprints, ofOurs, shown(4), false)).toThrow(/4 of 6/);
    refuseNewMasterKey(fingerprints, ofOurs, new Map(), false);
    refuseNewMasterKey(
      fingerprints,
      pairs(() => ({ plain: "p", stored: "" })),
      shown(6),
      false,
    );
    refuseNewMasterKey(
      new Fingerprints(Buffer.alloc(32, 8)),
      pairs((row) => fingerprints.kept(row, stored(`old ${row}`))),
      shown(6),
      false,
    );
  });

  it("pass if only two are known, and not if others are no evidence", () => {
    const pair = (row: string) => fingerprints.pair(row, new SecretValue("x", ""), stored(`old ${row}`));
    refuseNewMasterKey(fingerprints, ledgerWith({ "/a": pair("/a"), "/b": pair("/b") }), live(4), false);
    const unread = Object.fromEntries(["/e", "/f", "/g"].map((row) => [row, { plain: "p", stored: "" }]));
    const three = ledgerWith({ "/a": pair("/a"), "/b": pair("/b"), "/c": pair("/c"), ...unread });
    expect(() => refuseNewMasterKey(fingerprints, three, live(4), false)).toThrow(/3 of 3/);
  });

  it("name the target", () => {
    expect(() => refuseNewMasterKey(fingerprints, record, live(4), false)).toThrow(expect.objectContaining({ where: { target: "edge" } }));
  });
});

describe("the key in the state folder", () => {
  it("is created once, for this user only", async () => {
    const folder = join(mkdtempSync(join(tmpdir(), "state-")), "deep");
    const first = await stateKey(folder);
    expect(first.length).toBe(32);
    expect(await stateKey(folder)).toEqual(first);
    expect(statSync(join(folder, "fingerprint.key")).mode & 0o777).toBe(0o600);
  });

  it("does not replace another file", async () => {
    const folder = mkdtempSync(join(tmpdir(), "state-"));
    mkdirSync(join(folder, "fingerprint.key"));
    await expect(stateKey(folder)).rejects.toMatchObject({ code: "EISDIR" });
    await expect(stateKey(join(folder, "no\0folder"))).rejects.toMatchObject({ code: "ERR_INVALID_ARG_VALUE" });
  });

  it("is refused if damaged", async () => {
    const folder = mkdtempSync(join(tmpdir(), "state-"));
    writeFileSync(join(folder, "fingerprint.key"), "abc\n");
    const file = join(folder, "fingerprint.key");
    await expect(stateKey(folder)).rejects.toMatchObject({ code: "fingerprint-key-malformed", where: { file } });
    writeFileSync(file, `\n ${"ab".repeat(32)}\n`);
    expect(await stateKey(folder)).toEqual(Buffer.alloc(32, 0xab));
  });
});

describe("the key in the configuration", () => {
  it("gives the same fingerprints on every machine with it, and others without it", () => {
    const secret = new SecretValue("abc", "");
    const of = (key: string) =>
      new Fingerprints(keyFrom(new SecretValue(key, "${env:FINGERPRINT_KEY}"))).of("/config/key", "plain", secret);
    expect(of("shared")).toBe(of("shared"));
    expect(of("shared")).not.toBe(of("other"));
  });
});
