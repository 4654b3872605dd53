import type { Git } from "../checkout/git.js";
import { type LedgerKey, type LedgerStore, targetsIn, type Versioned } from "./store.js";

/** A store that can record in its history which other versions were merged into a text. */
export interface JoiningStore extends LedgerStore {
  write(key: LedgerKey, text: string, expected: string | undefined, joined?: readonly string[]): Promise<string>;
}

export interface Joining {
  /** Returns whether a local text still matters. Leases of ended runs do not. */
  counts(key: LedgerKey): boolean;
  /** Merges two texts. @throws Error if one of them cannot be parsed */
  join(key: LedgerKey, own: string, hidden: string): string;
}

/** Separates the two versions of a merged text. */
const AND = "+";

/**
 * Ledgers on a remote, merged with ledgers in local refs from the time before the remote existed. The first write adds them to
 * the history on the remote. From then on the local refs are ignored, as are local copies of present or former remote versions.
 */
export class WithHiddenRefs implements LedgerStore {
  readonly #remote: JoiningStore;
  readonly #local: LedgerStore;
  readonly #git: Git;
  readonly #joining: Joining;

  constructor(remote: JoiningStore, local: LedgerStore, git: Git, joining: Joining) {
    this.#remote = remote;
    this.#local = local;
    this.#git = git;
    this.#joining = joining;
  }

  describe(key: LedgerKey): string {
    return this.#remote.describe(key);
  }

  async read(key: LedgerKey): Promise<Versioned | undefined> {
    const own = await this.#remote.read(key);
    return this.#joining.counts(key) ? await this.#joined(key, own, await this.#local.read(key)) : own;
  }

  async readAll(target: string): Promise<ReadonlyMap<string, Versioned>> {
    const found = new Map(await this.#remote.readAll(target));
    for (const [owner, hidden] of await this.#local.readAll(target)) {
      const joined = await this.#joined({ owner, target }, found.get(owner), hidden);
      if (joined !== undefined) found.set(owner, joined);
    }
    return found;
  }

  async write(key: LedgerKey, text: string, expected: string | undefined): Promise<string> {
    const [own = "", ...joined] = expected?.split(AND) ?? [];
    return await this.#remote.write(key, text, own === "" ? undefined : own, joined);
  }

  async owners(target: string): Promise<readonly string[]> {
    return [...new Set([...(await this.#remote.owners(target)), ...(await this.#local.owners(target))])];
  }

  async targets(owner: string): Promise<readonly string[]> {
    return targetsIn([...(await this.#remote.targets(owner)), ...(await this.#local.targets(owner))]);
  }

  async #joined(key: LedgerKey, own: Versioned | undefined, hidden: Versioned | undefined): Promise<Versioned | undefined> {
    if (hidden === undefined || hidden.version === own?.version || !this.#joining.counts(key)) return own;
    const version = `${own?.version ?? ""}${AND}${hidden.version}`;
    if (own === undefined) return { text: hidden.text, version, isUnwritten: true };
    const isKnown = await this.#git(["merge-base", "--is-ancestor", hidden.version, own.version]);
    if (isKnown.code === 0) return own;
    if (isKnown.code !== 1) throw new Error(isKnown.stderr.trim() || `git ended with ${isKnown.code}`);
    return { text: this.#joining.join(key, own.text, hidden.text), version, isUnwritten: true };
  }
}
