import { randomUUID } from "node:crypto";
import { fromFileName, toFileName } from "../../core/file-names.js";
import type { Git, GitResult } from "../checkout/git.js";
import type { JoiningStore } from "./hidden-refs.js";
import { type LedgerKey, targetsIn, VersionConflict, type Versioned } from "./store.js";
import { must, writeCommit } from "./write-commit.js";

const FILE = "ledger.json";
const ROOT = "refs/plumbline";

/** One list of all refs serves many targets: for `age` milliseconds, or until this store writes. */
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
  readonly #reuse: ListingReuse | undefined;
  readonly #unique: () => string;
  readonly #now: () => number;
  #listing: { readonly at: number; readonly refs: Promise<Map<string, string>> } | undefined;
  /** The last text that was read or written. A version never changes, so a run that waits for a lease reads it once. */
  #last: Versioned | undefined;

  /**
   * @param unique Returns a text that no other writer uses, so that equal records of the same second are different commits.
   * @param now Returns milliseconds since 1970.
   */
  constructor(git: Git, remote: string | undefined, reuse?: ListingReuse, unique: () => string = randomUUID, now: () => number = Date.now) {
    this.#git = git;
    this.#remote = remote;
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
    const refs = await this.#look(this.#remote === undefined ? folder.slice(0, -1) : `${folder}*`);
    return targetsIn([...refs.keys()].filter((ref) => ref.startsWith(folder)).map((ref) => fromFileName(ref.slice(folder.length))));
  }

  async readAll(target: string): Promise<ReadonlyMap<string, Versioned>> {
    const found = new Map<string, Versioned>();
    for (const [ref, version] of await this.#of(target)) found.set(ownerOf(ref, target), await this.#at(version, ref));
    return found;
  }

  async write(key: LedgerKey, text: string, expected: string | undefined, joined: readonly string[] = []): Promise<string> {
    // Git accepts a parent whose objects are missing, and then cannot push. A version that was just read or written is complete.
    const isHere = expected === undefined || this.#last?.version === expected;
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
    const commit = await writeCommit(this.#git, { name: FILE, text, parents, message, time: this.#now() });
    const result = await this.#swap(refOf(key), commit, expected);
    this.#listing = undefined;
    if (result.code !== 0) {
      const current = (await this.#list(refOf(key))).get(refOf(key));
      if (current !== commit && current !== expected) throw new VersionConflict(this.describe(key));
      if (current !== commit) throw new Error(result.stderr.trim());
    }
    this.#last = { text, version: commit };
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
    if (this.#last?.version === version) return this.#last;
    this.#last = { text: await this.#text(version, ref), version };
    return this.#last;
  }

  /** Returns the text at `version`. Fetches it if objects are missing, such as in a new clone or after a disk failure. */
  async #text(version: string, ref: string): Promise<string> {
    let result = await this.#contentOf(version);
    // Git does not fetch the files of a commit that it already has, unless --refetch is given.
    for (const anew of [[], ["--refetch"]]) {
      if (result.code === 0 || this.#remote === undefined) break;
      must(await this.#git(["fetch", "--quiet", "--no-tags", "--no-write-fetch-head", "--refmap=", ...anew, this.#remote, ref]));
      result = await this.#contentOf(version);
    }
    return must(result).stdout;
  }

  #contentOf(version: string): Promise<GitResult> {
    return this.#git(["cat-file", "blob", `${version}:${FILE}`]);
  }

  async #swap(ref: string, commit: string, expected: string | undefined): Promise<GitResult> {
    if (this.#remote === undefined) return await this.#git(["update-ref", ref, commit, expected ?? "0".repeat(commit.length)]);
    return await this.#git(["push", "--quiet", `--force-with-lease=${ref}:${expected ?? ""}`, this.#remote, `${commit}:${ref}`]);
  }

  /** Returns the refs that match `pattern`, and possibly others: a recent list of all refs is reused if that is allowed. */
  async #look(pattern: string): Promise<ReadonlyMap<string, string>> {
    if (this.#reuse === undefined) return await this.#list(pattern);
    const now = this.#reuse.monotonic();
    if (this.#listing === undefined || now - this.#listing.at > this.#reuse.age) {
      const refs = this.#list(this.#remote === undefined ? ROOT : `${ROOT}/*`);
      const listing = { at: now, refs };
      this.#listing = listing;
      refs.catch(() => {
        if (this.#listing === listing) this.#listing = undefined;
      });
    }
    return await this.#listing.refs;
  }

  /** Returns the commits of the refs that match `pattern`. */
  async #list(pattern: string): Promise<Map<string, string>> {
    const listing =
      this.#remote === undefined
        ? must(await this.#git(["for-each-ref", "--format=%(objectname)\t%(refname)", pattern]))
        : must(await this.#git(["ls-remote", this.#remote, pattern]));
    const rows = listing.stdout.split("\n").filter((line) => line !== "");
    return new Map(rows.map((row) => [row.slice(row.indexOf("\t") + 1), row.slice(0, row.indexOf("\t"))]));
  }
}

function refOf(key: LedgerKey): string {
  return `${ROOT}/${toFileName(key.owner)}/${toFileName(key.target)}`;
}

function ownerOf(ref: string, target: string): string {
  return fromFileName(ref.slice(ROOT.length + 1, -`/${toFileName(target)}`.length));
}
