import { describe, expect, it } from "vitest";
import { BundleStore } from "../../../src/engine/ledger/bundle-store.js";
import type { Document } from "../../../src/engine/ledger/document.js";
import { NewerFormat } from "../../../src/engine/ledger/newer-format.js";
import { VersionConflict } from "../../../src/engine/ledger/store.js";

/** A document in memory. `refusals` writes in a row conflict with another writer, who wrote `theirs` in between. */
class MemoryDocument implements Document {
  readonly place = "memory";
  text: string | undefined;
  version = 0;
  writes = 0;
  refusals = 0;
  theirs: (() => void) | undefined;
  error: Error | undefined;

  async read() {
    return this.text === undefined ? undefined : { text: this.text, version: String(this.version) };
  }

  async write(text: string, expected: string | undefined): Promise<string> {
    this.writes += 1;
    if (this.error !== undefined) throw this.error;
    if (this.refusals-- > 0) {
      this.theirs?.();
      throw new VersionConflict("memory");
    }
    const current = this.text === undefined ? undefined : String(this.version);
    if (current !== expected) throw new VersionConflict("memory");
    this.text = text;
    this.version += 1;
    return String(this.version);
  }
}

const KEY = { owner: "o", target: "t" };

describe("ledgers in one document", () => {
  it("are written next to parallel changes of others", async () => {
    const document = new MemoryDocument();
    const store = new BundleStore(document);
    document.refusals = 4;
    document.theirs = () => {
      document.text = JSON.stringify({ format: 1, ledgers: { other: { t: "theirs" } } });
      document.version += 1;
    };
    await store.write(KEY, "ours", undefined);
    expect(document.writes).toBe(5);
    expect([...(await store.readAll("t"))].map(([owner, { text }]) => `${owner} ${text}`)).toEqual(["other theirs", "o ours"]);
    expect([...(await store.readAll("u"))]).toEqual([]);
    expect(await store.owners("t")).toEqual(["other", "o"]);
  });

  it("give up after five conflicts, and immediately for other errors", async () => {
    const document = new MemoryDocument();
    document.refusals = 5;
    await expect(new BundleStore(document).write(KEY, "ours", undefined)).rejects.toThrow(VersionConflict);
    expect(document.writes).toBe(5);
    document.refusals = 0;
    document.error = new Error("read-only");
    await expect(new BundleStore(document).write(KEY, "ours", undefined)).rejects.toThrow("read-only");
    expect(document.writes).toBe(6);
  });

  it("do not overwrite another change of the same ledger", async () => {
    const document = new MemoryDocument();
    const store = new BundleStore(document);
    const version = await store.write(KEY, "first", undefined);
    await expect(store.write(KEY, "second", undefined)).rejects.toThrow("ledger of o on t in memory");
    await store.write(KEY, "second", version);
    expect((await store.read(KEY))?.text).toBe("second");
  });

  it("of a later format are reported, and other texts are invalid", async () => {
    const document = new MemoryDocument();
    const read = async (value: unknown) => {
      document.text = JSON.stringify(value);
      return await new BundleStore(document).read(KEY).catch((error: unknown) => error);
    };
    expect(await read({ format: 2, ledgers: {} })).toBeInstanceOf(NewerFormat);
    for (const value of [
      { format: "2", ledgers: {} },
      { format: 0, ledgers: {} },
      { ledgers: {} },
      { format: 1 },
      { format: 1, ledgers: null },
      { format: 1, ledgers: "x" },
    ]) {
      const error = await read(value);
      expect([error instanceof NewerFormat, String(error)]).toEqual([false, "Error: not a file of ledgers"]);
    }
    expect(await read({ format: 1, ledgers: {} })).toBeUndefined();
  });
});
