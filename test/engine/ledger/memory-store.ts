import { type LedgerKey, type LedgerStore, targetsIn, VersionConflict, type Versioned } from "../../../src/engine/ledger/store.js";

/** A place in memory; with `error` set it cannot be read. */
export class MemoryStore implements LedgerStore {
  readonly texts = new Map<string, Versioned>();
  error: Error | undefined;
  /** The clock of the store, if it has one. */
  now: number | undefined;

  async clock(): Promise<number | undefined> {
    return this.now;
  }

  describe({ owner, target }: LedgerKey): string {
    return `memory ${owner} ${target}`;
  }

  async read({ owner, target }: LedgerKey): Promise<Versioned | undefined> {
    if (this.error !== undefined) throw this.error;
    return this.texts.get(`${owner} ${target}`);
  }

  async write({ owner, target }: LedgerKey, text: string, expected: string | undefined): Promise<string> {
    const key = `${owner} ${target}`;
    if (this.texts.get(key)?.version !== expected) throw new VersionConflict(key);
    const version = `${Number(expected ?? 0) + 1}`;
    this.texts.set(key, { text, version });
    return version;
  }

  async owners(target: string): Promise<readonly string[]> {
    return [...this.texts.keys()].flatMap((key) => (key.endsWith(` ${target}`) ? [key.split(" ")[0] ?? ""] : []));
  }

  async targets(owner: string): Promise<readonly string[]> {
    return targetsIn([...this.texts.keys()].flatMap((key) => (key.startsWith(`${owner} `) ? [key.slice(owner.length + 1)] : [])));
  }

  async readAll(target: string): Promise<ReadonlyMap<string, Versioned>> {
    if (this.error !== undefined) throw this.error;
    const ending = ` ${target}`;
    return new Map([...this.texts].filter(([key]) => key.endsWith(ending)).map(([key, text]) => [key.slice(0, -ending.length), text]));
  }
}
