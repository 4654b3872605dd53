import { randomUUID } from "node:crypto";
import { fromFileName, toFileName } from "../../core/file-names.js";
import type { Git, GitResult } from "../checkout/git.js";
import type { JoiningStore } from "./hidden-refs.js";
import { type Refs, ROOT, refsIn, SharedRefs } from "./shared-refs.js";
import { type LedgerKey, targetsIn, VersionConflict, type Versioned } from "./store.js";
import { must, writeCommit } from "./write-commit.js";

const FILE = "ledger.json";
/**
 * Characters of texts that a store keeps in memory. The newest text is kept in any case. The ledgers of a large fleet must fit: they are
 * read in turn, so a smaller limit would drop each text before its next use.
 */
const KEPT = 64_000_000;

/** A list of the refs is reused for `age` milliseconds. */
export interface ListingReuse {
  readonly age: number;
  readonly monotonic: () => number;
}

/**
 * Ledgers as commits on `refs/plumbline/<owner>/<target>` of a remote, or of the local repository if there is no remote. Each
 * write is a child of the previous commit, so `git log` of the ref is the history of ownership.
 */
export class GitStore implements JoiningStore {
  readonly #git: Git;
  readonly #remote: string | undefined;
  /** Undefined for the local repository. */
  readonly #shared: SharedRefs | undefined;
  readonly #reuse: ListingReuse | undefined;
  readonly #unique: () => string;
  readonly #now: () => number;
  /** The list of the local repository. A write ends it. */
  #listing: { readonly at: number; readonly refs: Promise<Refs> } | undefined;
  /** Texts by version, the least recently used first. A version never changes, so it is read once. */
  readonly #texts = new Map<string, string>();
  /** Characters of `#texts`. */
  #size = 0;

  /**
   * @param shared Refs of `remote`, if other stores use them too.
   * @param unique Returns a text that no other writer uses, so that equal records of the same second are different commits.
   * @param now Returns milliseconds since 1970.
   */
  constructor(
    git: Git,
    remote: string | undefined,
    reuse?: ListingReuse,
    shared?: SharedRefs,
    unique: () => string = randomUUID,
    now: () => number = Date.now,
  ) {
    this.#git = git;
    this.#remote = remote;
    this.#shared = remote === undefined ? undefined : (shared ?? new SharedRefs(git, remote, reuse?.monotonic));
    this.#reuse = reuse;
    this.#unique = unique;
    this.#now = now;
  }

  describe(key: LedgerKey): string {
    return `git ref ${refOf(key)}${this.#remote === undefined ? "" : ` on ${this.#remote}`}`;
  }

  async read(key: LedgerKey): Promise<Versioned | undefined> {
    const version = (await this.#look(refOf(key))).get(refOf(key));
    return version === undefined ? undefined : await this.#at(version, refOf(key));
  }

  async targets(owner: string): Promise<readonly string[]> {
    const folder = `${ROOT}/${toFileName(owner)}/`;
    // A run that has named its device in its ledger then searches the others for it, so an older list is not sufficient.
    const refs = await (this.#shared?.list(this.#reuse?.age, { afterWrites: true }) ?? this.#look(folder.slice(0, -1)));
    return targetsIn([...refs.keys()].filter((ref) => ref.startsWith(folder)).map((ref) => fromFileName(ref.slice(folder.length))));
  }

  async readAll(target: string): Promise<ReadonlyMap<string, Versioned>> {
    const found = new Map<string, Versioned>();
    for (const [ref, version] of await this.#of(target)) found.set(ownerOf(ref, target), await this.#at(version, ref));
    return found;
  }

  async write(key: LedgerKey, text: string, expected: string | undefined, joined: readonly string[] = []): Promise<string> {
    // Git accepts a parent whose objects are missing, and then cannot push. A version that was just read or written is complete.
    const isHere = expected === undefined || this.#texts.has(expected);
    if (!isHere) await this.#text(expected, refOf(key));
    try {
      return await this.#put(key, text, expected, joined);
    } catch (error) {
      if (!isHere || expected === undefined || error instanceof VersionConflict) throw error;
      if ((await this.#contentOf(expected)).code === 0) throw error;
    }
    await this.#text(expected, refOf(key));
    return await this.#put(key, text, expected, joined);
  }

  async #put(key: LedgerKey, text: string, expected: string | undefined, joined: readonly string[]): Promise<string> {
    const parents = [...(expected === undefined ? [] : [expected]), ...joined];
    const message = `Ledger of ${key.owner} on ${key.target}\n\nWrite: ${this.#unique()}`;
    const create = () => writeCommit(this.#git, { name: FILE, text, parents, message, time: this.#now() });
    const commit = await this.#move(key, create, expected);
    this.#keep(commit, text);
    return commit;
  }

  async owners(target: string): Promise<readonly string[]> {
    return (await this.#of(target)).map(([ref]) => ownerOf(ref, target));
  }

  async #of(target: string): Promise<[string, string][]> {
    const ending = `/${toFileName(target)}`;
    return [...(await this.#look(`${ROOT}/*${ending}`))].filter(([ref]) => ref.endsWith(ending));
  }

  async #at(version: string, ref: string): Promise<Versioned> {
    const text = this.#texts.get(version) ?? (await this.#text(version, ref));
    this.#keep(version, text);
    return { text, version };
  }

  #keep(version: string, text: string): void {
    this.#drop(version);
    this.#texts.set(version, text);
    this.#size += text.length;
    for (const oldest of this.#texts.keys()) {
      if (this.#size <= KEPT || oldest === version) break;
      this.#drop(oldest);
    }
  }

  #drop(version: string): void {
    this.#size -= this.#texts.get(version)?.length ?? 0;
    this.#texts.delete(version);
  }

  /** Returns the text at `version`. Fetches it if objects are missing, such as in a new clone or after a disk failure. */
  async #text(version: string, ref: string): Promise<string> {
    let result = await this.#contentOf(version);
    // Git does not fetch the files of a commit that it already has, unless --refetch is given.
    for (const options of [[], ["--refetch"]]) {
      if (result.code === 0 || this.#remote === undefined) break;
      must(await this.#git(["fetch", "--quiet", "--no-tags", "--no-write-fetch-head", "--refmap=", ...options, this.#remote, ref]));
      result = await this.#contentOf(version);
    }
    return must(result).stdout;
  }

  #contentOf(version: string): Promise<GitResult> {
    return this.#git(["cat-file", "blob", `${version}:${FILE}`]);
  }

  async #move(key: LedgerKey, create: () => Promise<string>, expected: string | undefined): Promise<string> {
    const ref = refOf(key);
    if (this.#shared !== undefined) {
      return await this.#shared.write(ref, create, expected).catch((error: unknown) => {
        throw error instanceof VersionConflict ? new VersionConflict(this.describe(key)) : error;
      });
    }
    const commit = await create();
    const result = await this.#git(["update-ref", ref, commit, expected ?? "0".repeat(commit.length)]);
    this.#listing = undefined;
    if (result.code === 0) return commit;
    const current = (await this.#listLocal(ref)).get(ref);
    if (current !== commit && current !== expected) throw new VersionConflict(this.describe(key));
    if (current !== commit) throw new Error(result.stderr.trim());
    return commit;
  }

  /** Returns the refs that match `pattern`, and possibly others. Reuses a list if that is allowed. */
  async #look(pattern: string): Promise<Refs> {
    if (this.#shared !== undefined) return await this.#shared.list(this.#reuse?.age);
    if (this.#reuse === undefined) return await this.#listLocal(pattern);
    const now = this.#reuse.monotonic();
    if (this.#listing === undefined || now - this.#listing.at > this.#reuse.age) {
      const listing = { at: now, refs: this.#listLocal(ROOT) };
      this.#listing = listing;
      listing.refs.catch(() => {
        if (this.#listing === listing) this.#listing = undefined;
      });
    }
    return await this.#listing.refs;
  }

  async #listLocal(pattern: string): Promise<Refs> {
    return refsIn(must(await this.#git(["for-each-ref", "--format=%(objectname)\t%(refname)", pattern])).stdout);
  }
}

function refOf(key: LedgerKey): string {
  return `${ROOT}/${toFileName(key.owner)}/${toFileName(key.target)}`;
}

function ownerOf(ref: string, target: string): string {
  return fromFileName(ref.slice(ROOT.length + 1, -`/${toFileName(target)}`.length));
}
