import { createHash } from "node:crypto";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { writeAtomically } from "../../core/atomic-file.js";
import { withFileLock } from "../../core/file-lock.js";
import { fromFileName, toFileName } from "../../core/file-names.js";
import { FileRefused, readRegularFile } from "../../core/regular-file.js";
import { type LedgerKey, type LedgerStore, targetsIn, VersionConflict, type Versioned } from "./store.js";

/** Maximum size of a file or a reply with ledgers, in bytes. */
export const MOST_LEDGER_BYTES = 256_000_000;

const SUFFIX = ".json";

/** Ledgers as files `<folder>/<owner>/<target>.json`. */
export class FolderStore implements LedgerStore {
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
  }

  describe(key: LedgerKey): string {
    return `ledger ${this.#file(key)}`;
  }

  async read(key: LedgerKey): Promise<Versioned | undefined> {
    return await readVersioned(this.#file(key));
  }

  async write(key: LedgerKey, text: string, expected: string | undefined): Promise<string> {
    return await replaceFile(this.#file(key), text, expected);
  }

  async owners(target: string): Promise<readonly string[]> {
    return [...(await this.readAll(target)).keys()];
  }

  async targets(owner: string): Promise<readonly string[]> {
    const files = await readdir(join(this.#folder, toFileName(owner))).catch(absent([]));
    return targetsIn(files.filter((file) => file.endsWith(SUFFIX)).map((file) => fromFileName(file.slice(0, -SUFFIX.length))));
  }

  async readAll(target: string): Promise<ReadonlyMap<string, Versioned>> {
    const found = new Map<string, Versioned>();
    for (const owner of await readdir(this.#folder).catch(absent([]))) {
      const text = await readVersioned(join(this.#folder, owner, fileOf(target)));
      if (text !== undefined) found.set(fromFileName(owner), text);
    }
    return found;
  }

  #file(key: LedgerKey): string {
    return join(this.#folder, toFileName(key.owner), fileOf(key.target));
  }
}

/** Returns the text of a file and its version; undefined if the file does not exist. */
export async function readVersioned(file: string): Promise<Versioned | undefined> {
  const bytes = await readRegularFile(file, MOST_LEDGER_BYTES).catch(absent(undefined));
  if (bytes === undefined) return undefined;
  const text = bytes.toString("utf8");
  return { text, version: versionOf(text) };
}

/**
 * Replaces a file that still has the version `expected`. A file lock prevents writes of other processes between the check and the rename.
 */
export async function replaceFile(file: string, text: string, expected: string | undefined): Promise<string> {
  return await withFileLock(file, async () => {
    if ((await readVersioned(file))?.version !== expected) throw new VersionConflict(file);
    await writeAtomically(file, text);
    return versionOf(text);
  });
}

function absent<T>(value: T): (error: NodeJS.ErrnoException) => T {
  return (error) => {
    if (error.code === "ENOENT" || error.code === "ENOTDIR") return value;
    if (error instanceof FileRefused) throw new Error(`the file ${error.message}`);
    throw error;
  };
}

function versionOf(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}

function fileOf(target: string): string {
  return `${toFileName(target)}${SUFFIX}`;
}
