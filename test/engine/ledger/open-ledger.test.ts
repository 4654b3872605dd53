import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, it, vi } from "vitest";
import type { Checkout } from "../../../src/engine/checkout/checkout.js";
import { encodeRecord } from "../../../src/engine/ledger/codec.js";
import type { LedgerRecord } from "../../../src/engine/ledger/ledger.js";
import { ledgerPlace, openLedger, openLedgerStore, type StoreLedgers } from "../../../src/engine/ledger/open-ledger.js";
import { MemoryStore } from "./memory-store.js";

const KEY = { owner: "o", target: "t" };
const RECORD: LedgerRecord = { ...KEY, commit: undefined, paths: ["/a"], adopted: [], secrets: {} };
const bare = { root: undefined, remote: undefined } as Checkout;
const stores = (isShared: boolean, store = new MemoryStore()): StoreLedgers => ({
  isShared: async () => isShared,
  open: async () => store,
});

describe("the place of the ledger", () => {
  it("is the configured one, or a shared store, or git", async () => {
    expect(await ledgerPlace("git", undefined, stores(true))).toBe("git");
    expect(await ledgerPlace("store", undefined, stores(false))).toBe("store");
    expect(await ledgerPlace("ledgers.json", undefined, stores(true))).toEqual({ document: "ledgers.json" });
    expect(await ledgerPlace(undefined, "postgres://", stores(true))).toBe("store");
    expect(await ledgerPlace(undefined, "a.sqlite", stores(false))).toBe("git");
    expect(await ledgerPlace(undefined, undefined, undefined)).toBe("git");
  });
});

describe("a place of ledgers next to the desired state", () => {
  const at = (said: string | undefined, checkout = bare): string => openLedgerStore(said, checkout, "/state").describe(KEY);
  const checkout = (remote: string | undefined): Checkout => ({ root: "/repository", remote }) as Checkout;

  it("is the configured document, by file or URL", () => {
    expect(at("ledgers.json", checkout("origin"))).toBe("ledger of o on t in ledgers.json");
    expect(at("HTTPS://192.0.2.1/x")).toBe("ledger of o on t in https://192.0.2.1/x");
    expect(at("http://192.0.2.1/x")).toBe("ledger of o on t in http://192.0.2.1/x");
    expect(at("folder/http://x")).toBe("ledger of o on t in folder/http://x");
  });

  it("is otherwise git, with its remote if it has one, and the state folder outside git", () => {
    for (const said of [undefined, "git", "store"]) {
      expect(at(said, checkout("origin"))).toBe("git ref refs/plumbline/o/t on origin");
      expect(at(said, checkout(undefined))).toBe("git ref refs/plumbline/o/t");
      expect(at(said)).toBe("ledger /state/ledger/o/t.json");
    }
  });
});

describe("the ledger of a single run", () => {
  it("is the place itself, with its leases and notices", async () => {
    const folder = mkdtempSync(join(tmpdir(), "open-"));
    const document = join(folder, "ledgers.json");
    const { ledger, leases, notices } = await openLedger({ document }, bare, folder, undefined);
    expect(leases).toBe(notices);
    await ledger.write(RECORD);
    expect((await notices.read(KEY))?.text).toBe(encodeRecord(RECORD));
    expect(notices.describe(KEY)).toContain(document);
    expect((await openLedger("git", bare, folder, stores(true))).notices.describe(KEY)).toContain(join(folder, "ledger"));
  });

  it("is the store with its leases, includes ledgers in git, and leaves notices there", async () => {
    const folder = mkdtempSync(join(tmpdir(), "open-"));
    const store = new MemoryStore();
    await expect(openLedger("store", bare, folder, undefined)).rejects.toThrow("knows of no store");
    const { ledger, leases, notices } = await openLedger("store", bare, folder, stores(true, store));
    expect(leases).toBe(store);
    const version = await notices.write(KEY, encodeRecord(RECORD), undefined);
    expect(await ledger.read("o", "t")).toMatchObject({ state: "present", record: { paths: ["/a"], merged: { git: version } } });
    await ledger.write(RECORD);
    expect(store.texts.get("o t")?.text).toBe(encodeRecord(RECORD));
  });
});

describe("ledgers in git of many targets", () => {
  afterEach(() => void vi.unstubAllEnvs());

  const folder = mkdtempSync(join(tmpdir(), "ledgers-of-many-"));
  const git = (...words: string[]) => execFileSync("git", ["-C", folder, ...words]);
  git("init", "-q", "--bare", "remote");
  git("init", "-q", "mine");
  const checkout = { root: join(folder, "mine"), remote: join(folder, "remote") } as Checkout;
  const targets = Array.from({ length: 5 }, (_, index) => `fw-${index}`);
  const listings = () => readFileSync(join(folder, "trace"), "utf8").match(/trace: built-in: git ls-remote/g)?.length ?? 0;

  it("are listed once for all of them for a short time, also after the own write; notices are read each time", async () => {
    writeFileSync(join(folder, "trace"), "");
    vi.stubEnv("GIT_TRACE", join(folder, "trace"));
    let time = 0;
    const { ledger, notices } = await openLedger("git", checkout, folder, undefined, () => time);
    const readAll = () => Promise.all(targets.map((target) => ledger.read("o", target)));
    const counted = async (work: () => Promise<unknown>): Promise<number> => {
      const before = listings();
      await work();
      return listings() - before;
    };
    expect(await counted(readAll)).toBe(1);
    expect(await counted(readAll)).toBe(0);
    await ledger.write({ ...RECORD, target: "fw-0" });
    expect(await counted(readAll)).toBe(0);
    expect(await ledger.read("o", "fw-0")).toMatchObject({ state: "present" });
    time += 5_001;
    expect(await counted(readAll)).toBe(1);
    expect(await counted(async () => [await notices.read(KEY), await notices.read(KEY)])).toBe(2);
  });

  it("a search of all ledgers after the own write reads an earlier write of others", async () => {
    const open = () => openLedger("git", checkout, folder, undefined, () => 0);
    const [{ ledger, leases }, { ledger: other }] = await Promise.all([open(), open()]);
    for (const target of targets) await ledger.read("o", target);
    await other.write({ ...RECORD, target: "fw-1", paths: ["/theirs"] });
    expect(await ledger.read("o", "fw-1")).toEqual({ state: "missing" });
    await ledger.write({ ...RECORD, target: "fw-2" });
    expect(await leases.targets("o")).toContain("fw-1");
    expect(await ledger.read("o", "fw-1")).toMatchObject({ record: { paths: ["/theirs"] } });
  });
});
