import { setImmediate } from "node:timers/promises";
import pLimit from "p-limit";
import type { Git, GitResult } from "../checkout/git.js";
import { VersionConflict } from "./store.js";
import { must } from "./write-commit.js";

export const ROOT = "refs/plumbline";

/** The ids of the commits at refs, by ref. */
export type Refs = ReadonlyMap<string, string>;

interface RefWrite {
  readonly ref: string;
  /** Creates the commit in the local repository and returns its id. */
  readonly create: () => Promise<string>;
  /** Undefined: the ref must not exist. */
  readonly expected: string | undefined;
}

type Created = Pick<RefWrite, "ref" | "expected"> & { readonly commit: string };
type Writer = Waiting<string> & { readonly write: RefWrite };

interface Waiting<T> {
  readonly resolve: (value: T) => void;
  readonly reject: (error: unknown) => void;
}

/** Maximum number of refs in one push, because the length of a command line is limited. */
const MOST = 100;
const CREATED_AT_ONCE = 8;

/**
 * The refs below `refs/plumbline` of a remote. All stores of a process share one object, which has at most one connection at a time. Reads
 * and writes that arrive in the meantime wait and share the next connection, so many targets need few connections.
 */
export class SharedRefs {
  readonly #git: Git;
  readonly #remote: string;
  readonly #monotonic: () => number;
  /** The newest list, with the writes of this process since. `at` is the time before git was started. */
  #listed: { readonly at: number; readonly refs: Map<string, string>; wroteSince: boolean } | undefined;
  #readers: (Waiting<Refs> & { readonly age: number | undefined })[] = [];
  #writers: Writer[] = [];
  #isConnected = false;

  constructor(git: Git, remote: string, monotonic: () => number = () => performance.now()) {
    this.#git = git;
    this.#remote = remote;
    this.#monotonic = monotonic;
  }

  /**
   * Returns the refs: from a list that is at most `age` milliseconds old, or else from one that starts after this call. `afterWrites`: the
   * list must be newer than the last write of this process.
   */
  async list(age?: number, { afterWrites = false } = {}): Promise<Refs> {
    const known = afterWrites && this.#listed?.wroteSince === true ? undefined : this.#knownFor(age);
    if (known !== undefined) return known;
    return await new Promise((resolve, reject) => {
      this.#readers.push({ resolve, reject, age: afterWrites ? undefined : age });
      void this.#connect();
    });
  }

  #knownFor(age: number | undefined): Refs | undefined {
    const known = this.#listed;
    return age !== undefined && known !== undefined && this.#monotonic() - known.at <= age ? known.refs : undefined;
  }

  /**
   * Moves a ref from `expected` to the commit that `create` returns. Refs that wait together are pushed together, and each is accepted or
   * rejected separately.
   * @throws VersionConflict if the ref is not at `expected`
   */
  async write(ref: string, create: () => Promise<string>, expected: string | undefined): Promise<string> {
    return await new Promise((resolve, reject) => {
      this.#writers.push({ resolve, reject, write: { ref, create, expected } });
      void this.#connect();
    });
  }

  /** Serves all calls that wait. Never rejects. */
  async #connect(): Promise<void> {
    if (this.#isConnected) return;
    this.#isConnected = true;
    while (this.#readers.length + this.#writers.length > 0) {
      // Runs that just got an answer may write next, and share the push.
      await setImmediate();
      await this.#serveReaders();
      await setImmediate();
      await this.#serveWriters();
    }
    this.#isConnected = false;
  }

  async #serveReaders(): Promise<void> {
    const readers = this.#readers.splice(0);
    if (readers.length === 0) return;
    try {
      const refs = await this.#listNow();
      for (const { resolve } of readers) resolve(refs);
    } catch (error) {
      for (const { reject } of readers) reject(error);
    }
    const late = this.#readers.splice(0);
    for (const reader of late) {
      const known = this.#knownFor(reader.age);
      if (known === undefined) this.#readers.push(reader);
      else reader.resolve(known);
    }
  }

  async #serveWriters(): Promise<void> {
    const writers = this.#writers.splice(0, MOST);
    if (writers.length === 0) return;
    const { remaining, batch } = apart(writers);
    this.#writers.unshift(...remaining);
    const limit = pLimit(CREATED_AT_ONCE);
    const created = await Promise.all(batch.map((writer) => limit(() => createFor(writer))));
    const ready = created.filter((each) => each !== undefined);
    if (ready.length === 0) return;
    try {
      const refused = await this.#pushEach(ready.map(({ created: each }) => each));
      for (const { created: each, resolve, reject } of ready) {
        const error = refused.get(each.ref);
        if (error === undefined) resolve(each.commit);
        else reject(error);
      }
    } catch (error) {
      for (const { reject } of ready) reject(error);
    }
  }

  /**
   * Pushes refs together. A ref that fails can make git or a hook of the remote refuse all of them, so the refused ones are pushed again
   * one by one. Returns the errors of the refs that were not moved.
   */
  async #pushEach(writes: readonly Created[]): Promise<ReadonlyMap<string, Error>> {
    const refused = new Map(await this.#push(writes));
    if (writes.length === 1) return refused;
    for (const write of writes) {
      const error = refused.get(write.ref);
      if (error === undefined || error instanceof VersionConflict) continue;
      const retried = (await this.#push([write])).get(write.ref);
      if (retried === undefined) refused.delete(write.ref);
      else refused.set(write.ref, retried);
    }
    return refused;
  }

  async #push(writes: readonly Created[]): Promise<ReadonlyMap<string, Error>> {
    const leases = writes.map(({ ref, expected }) => `--force-with-lease=${ref}:${expected ?? ""}`);
    const moves = writes.map(({ ref, commit }) => `${commit}:${ref}`);
    const result = await this.#git(["push", "--quiet", "--porcelain", ...leases, this.#remote, ...moves]);
    const refused = new Map<string, Error>();
    if (result.code !== 0) {
      // The reply of a push may be lost, so the refs decide and not the exit code.
      const current = await this.#listNow().catch(() => {
        throw new Error(reasonFor(undefined, result));
      });
      for (const { ref, commit, expected } of writes) {
        const found = current.get(ref);
        if (found === commit) continue;
        refused.set(ref, found === expected ? new Error(reasonFor(ref, result)) : new VersionConflict(ref));
      }
    }
    for (const { ref, commit } of writes) if (!refused.has(ref)) this.#listed?.refs.set(ref, commit);
    if (this.#listed !== undefined) this.#listed.wroteSince = true;
    return refused;
  }

  async #listNow(): Promise<Refs> {
    const at = this.#monotonic();
    this.#listed = undefined;
    const refs = refsIn(must(await this.#git(["ls-remote", this.#remote, `${ROOT}/*`])).stdout);
    this.#listed = { at, refs, wroteSince: false };
    return refs;
  }
}

/** Returns undefined, and rejects the write, if the commit cannot be created. */
async function createFor({ write, resolve, reject }: Writer) {
  const { ref, create, expected } = write;
  try {
    return { created: { ref, expected, commit: await create() }, resolve, reject };
  } catch (error) {
    reject(error);
    return undefined;
  }
}

/** A push cannot move one ref twice, so the second write waits for the next push. */
function apart(writers: readonly Writer[]): { batch: readonly Writer[]; remaining: readonly Writer[] } {
  const refs = new Set<string>();
  const [batch, remaining]: [Writer[], Writer[]] = [[], []];
  for (const writer of writers) {
    (refs.has(writer.write.ref) ? remaining : batch).push(writer);
    refs.add(writer.write.ref);
  }
  return { batch, remaining };
}

/** Returns the line of `git push --porcelain` about a ref, and the messages of the remote. */
function reasonFor(ref: string | undefined, { code, stdout, stderr }: GitResult): string {
  const line = stdout.split("\n").find((each) => each.startsWith("!\t") && each.split("\t")[1]?.endsWith(`:${ref}`) === true);
  const reason = [line?.split("\t")[2] ?? "", stderr.trim()].filter((text) => text !== "").join("\n");
  return reason === "" ? `git ended with ${code}` : reason;
}

/** Parses lines of an id, a tab and a ref. */
export function refsIn(text: string): Map<string, string> {
  const rows = text.split("\n").filter((line) => line !== "");
  return new Map(rows.map((row) => [row.slice(row.indexOf("\t") + 1), row.slice(0, row.indexOf("\t"))]));
}
