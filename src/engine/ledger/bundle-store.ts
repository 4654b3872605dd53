import { createHash } from "node:crypto";
import pLimit from "p-limit";
import { readJson } from "../../core/json/read-json.js";
import type { Document } from "./document.js";
import { NewerFormat } from "./newer-format.js";
import { type LedgerKey, type LedgerStore, targetsIn, VersionConflict, type Versioned } from "./store.js";

interface Bundle {
  /** Ledger texts by owner, then target. */
  readonly ledgers: Record<string, Record<string, string>>;
  readonly version: string | undefined;
}

const ATTEMPTS = 5;
const FORMAT = 1;

/** All ledgers in one document. A write of one ledger keeps the others as they are by then. */
export class BundleStore implements LedgerStore {
  readonly #document: Document;
  readonly #oneWriter = pLimit(1);

  constructor(document: Document) {
    this.#document = document;
  }

  describe(key: LedgerKey): string {
    return `ledger of ${key.owner} on ${key.target} in ${this.#document.place}`;
  }

  async read(key: LedgerKey): Promise<Versioned | undefined> {
    return entryOf(await this.#load(), key);
  }

  async write(key: LedgerKey, text: string, expected: string | undefined): Promise<string> {
    return await this.#oneWriter(async () => {
      for (let attempt = 1; ; attempt++) {
        const bundle = await this.#load();
        if (entryOf(bundle, key)?.version !== expected) throw new VersionConflict(this.describe(key));
        const ledgers = { ...bundle.ledgers, [key.owner]: { ...bundle.ledgers[key.owner], [key.target]: text } };
        try {
          await this.#document.write(`${JSON.stringify({ format: FORMAT, ledgers }, null, 1)}\n`, bundle.version);
          return versionOf(text);
        } catch (error) {
          if (!(error instanceof VersionConflict) || attempt === ATTEMPTS) throw error;
        }
      }
    });
  }

  async owners(target: string): Promise<readonly string[]> {
    return [...(await this.readAll(target)).keys()];
  }

  async targets(owner: string): Promise<readonly string[]> {
    return targetsIn(Object.keys((await this.#load()).ledgers[owner] ?? {}));
  }

  async readAll(target: string): Promise<ReadonlyMap<string, Versioned>> {
    const bundle = await this.#load();
    const found = new Map<string, Versioned>();
    for (const owner of Object.keys(bundle.ledgers)) {
      const text = entryOf(bundle, { owner, target });
      if (text !== undefined) found.set(owner, text);
    }
    return found;
  }

  async #load(): Promise<Bundle> {
    const found = await this.#document.read();
    if (found === undefined) return { ledgers: {}, version: undefined };
    const value = readJson(found.text) as { format?: unknown; ledgers?: unknown };
    if (typeof value.format === "number" && value.format > FORMAT) throw new NewerFormat(value.format);
    if (value.format !== FORMAT || typeof value.ledgers !== "object" || value.ledgers === null) throw new Error("not a file of ledgers");
    return { ledgers: value.ledgers as Bundle["ledgers"], version: found.version };
  }
}

function entryOf(bundle: Bundle, key: LedgerKey): Versioned | undefined {
  const text = bundle.ledgers[key.owner]?.[key.target];
  return text === undefined ? undefined : { text, version: versionOf(text) };
}

function versionOf(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}
